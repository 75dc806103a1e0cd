/** Runs one command line from its arguments to the exit code. */
import { writeSync } from "node:fs";
import { visibleText } from "@orangebox/analysis";
import { CommanderError } from "commander";
import type { Command } from "commander";

import { makeProgram } from "./program.ts";
import { printError } from "./print-error.ts";
import { screenOf } from "./terminal/screen.ts";
import type { Screen } from "./terminal/screen.ts";

const TROUBLE = 2;

/** Runs the command that `args` name; prints errors and sets `process.exitCode`. Never throws. */
export async function run(args: readonly string[]): Promise<void> {
  const screen = screenOf({ fd: 1, open: once(() => guarded(process.stdout)) }, process.env);
  const errors = screenOf({ fd: 2, open: once(() => guarded(process.stderr)) }, process.env);
  const program = makeProgram({ screen, errors, environment: process.env });
  throwInsteadOfExiting(program);
  try {
    if (args.length === 0) {
      program.outputHelp({ error: true });
      process.exitCode = TROUBLE;
      return;
    }
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    process.exitCode =
      error instanceof CommanderError
        ? usageExit(error, errors)
        : printError(error, errors, { verbose: args.includes("--verbose") });
  }
}

/** Makes a stream end the process quietly when its reader, such as `head`, has seen enough. */
/** The output itself failed: a full disk, as a rule. */
function writeLastWords(error: Error): void {
  try {
    writeSync(
      2,
      `error: the output cannot be written: ${error.message}\nhint: Free some space, or write elsewhere.\ncode: FLIGHT_WRITE\n`,
    );
  } catch {
    // There is no stderr either.
  }
}

function guarded(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") {
      writeLastWords(error);
      process.exit(TROUBLE);
    }
    process.exit();
  });
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Makes the parser throw, say `error:` and `hint:` as we do, and use our exit codes. */
function throwInsteadOfExiting(program: Command): void {
  for (const command of [program, ...program.commands]) {
    command.exitOverride();
    // Its errors are printed by usageExit.
    command.configureOutput({ outputError: () => undefined });
  }
}

function usageExit(error: CommanderError, errors: Screen): number {
  // Help and version end this way too.
  if (error.exitCode === 0) return 0;
  const [message = "", ...suggestion] = error.message.replace(/^error: /, "").split("\n");
  const hint = suggestion.join(" ").replace(/^\(|\)$/g, "");
  errors.line(`${errors.style.red("error:")} ${visibleText(message)}`);
  errors.line(`${errors.style.yellow("hint:")} ${hint === "" ? hintFor(error) : hint}`);
  errors.line(errors.style.dim("code: FLIGHT_USAGE"));
  return TROUBLE;
}

function hintFor(error: CommanderError): string {
  if (error.code === "commander.unknownOption")
    return "See --help of the command. Options of Node stand behind --: flight run -- --inspect app.js";
  return "See flight --help.";
}
