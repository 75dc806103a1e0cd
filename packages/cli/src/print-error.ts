/** Prints errors the way every command does: `error:`, `hint:`, `code:`; the stack only when asked. */
import { visibleText } from "@orangebox/analysis";
import { isFlightError } from "@orangebox/format";

import type { Screen } from "./terminal/screen.ts";

const NO = 1;
const TROUBLE = 2;

const FAULT_HINT = "This is a fault of ours; --verbose shows where.";
/** As in bin/flight.js, which says it when Node refuses even this file. */
const REFUSED_HINT =
  "The permission model in NODE_OPTIONS holds for flight too; give its options to the program alone: flight run -- --permission … app.js";

/** Prints an error and gives the exit code for it: 1 for "not found", 2 for trouble. */
export function printError(error: unknown, screen: Screen, options: { verbose: boolean }): number {
  const { style } = screen;
  const message = error instanceof Error ? error.message : String(error);
  screen.line(`${style.red("error:")} ${visibleText(message)}`);
  if (isFlightError(error)) {
    screen.line(`${style.yellow("hint:")} ${visibleText(error.hint)}`);
    screen.line(style.dim(`code: ${error.code}`));
  } else {
    screen.line(`${style.yellow("hint:")} ${isRefused(error) ? REFUSED_HINT : FAULT_HINT}`);
  }
  if (options.verbose && error instanceof Error) {
    for (const line of (error.stack ?? "").split("\n")) screen.line(style.dim(visibleText(line)));
  }
  return isFlightError(error, "FLIGHT_NOT_FOUND") ? NO : TROUBLE;
}

/** Whether Node's permission model kept this process from something. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_ACCESS_DENIED";
}
