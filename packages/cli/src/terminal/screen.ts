/** What a command writes to: an output, its width, its styles. */
import { isatty } from "node:tty";

import { palette } from "./palette.ts";
import type { Palette } from "./palette.ts";

/** An output of a command. */
export interface Screen {
  /** Columns of the terminal; undefined when the output is none, then nothing is cut. */
  readonly columns: number | undefined;
  readonly style: Palette;
  /** Writes a text and a line break. */
  readonly line: (text?: string) => void;
}

/** An output of the process. */
export interface Output {
  readonly fd: number;
  /** Gives the stream; called when something is written, not before. */
  readonly open: () => NodeJS.WriteStream;
}

const MIN_COLUMNS = 40;
const DEFAULT_COLUMNS = 80;

/**
 * Describes an output of the process as a screen.
 *
 * The stream is opened only when it is used: opening a pipe makes it non-blocking for every process
 * that shares it, and `flight run` shares it with the recorded program.
 */
export function screenOf(
  output: Output,
  environment: Readonly<Record<string, string | undefined>>,
): Screen {
  const isTerminal = isatty(output.fd);
  return {
    get columns() {
      if (!isTerminal) return undefined;
      return Math.max(MIN_COLUMNS, output.open().columns || DEFAULT_COLUMNS);
    },
    style: palette({ isTerminal, environment }),
    line: (text = "") => {
      output.open().write(`${text}\n`);
    },
  };
}
