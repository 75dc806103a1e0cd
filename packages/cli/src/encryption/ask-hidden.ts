/** Asks for a passphrase at the terminal without showing it. */
import { FlightError } from "@orangebox/format";
import { closeSync, openSync, writeSync } from "node:fs";
import { isatty, ReadStream } from "node:tty";

/** Shows a question and gives the line that is typed. */
export type AskHidden = (question: string) => Promise<string>;

const STDIN = 0;
const STDERR = 2;
const TERMINAL = "/dev/tty";
const MAX_LENGTH = 4096;

/**
 * Gives a way to ask, or undefined when nobody sits at a terminal.
 *
 * Both standard input and error must be one: a script that runs unwatched must not wait for ever.
 */
export function terminalQuestion(): AskHidden | undefined {
  return isatty(STDERR) && isatty(STDIN) ? askHidden : undefined;
}

async function askHidden(question: string): Promise<string> {
  // A descriptor of its own: standard input stays as it is for whoever reads it next.
  const descriptor = openSync(TERMINAL, "r");
  const input = new ReadStream(descriptor);
  writeSync(STDERR, question);
  input.setRawMode(true);
  try {
    return await readLine(input);
  } finally {
    input.setRawMode(false);
    input.destroy();
    writeSync(STDERR, "\n");
    try {
      closeSync(descriptor);
    } catch {
      // The stream has closed it.
    }
  }
}

function readLine(input: ReadStream): Promise<string> {
  let typed: string[] = [];
  const decoder = new TextDecoder();
  return new Promise((settle, fail) => {
    input.on("data", (bytes: Uint8Array) => {
      for (const character of decoder.decode(bytes, { stream: true })) {
        if (character === "\r" || character === "\n") return settle(typed.join(""));
        // Raw mode hands over what the terminal would have acted on: Ctrl-C, Ctrl-D, Ctrl-U, delete.
        if (character === "\u0003" || character === "\u0004") return fail(interrupted());
        if (character === "\u0015") typed = [];
        else if (character === "\u007f" || character === "\b") typed.pop();
        else if (typed.length < MAX_LENGTH) typed.push(character);
      }
      return undefined;
    });
    input.once("error", fail);
    input.once("end", () => {
      fail(interrupted());
    });
  });
}

function interrupted(): FlightError {
  return new FlightError(
    "FLIGHT_USAGE",
    "no passphrase was typed",
    "Type it, or name a --passphrase-file.",
  );
}
