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

const MIN_COLUMNS = 40;

/** Describes a stream of the process as a screen. */
export function screenOf(
  stream: NodeJS.WriteStream & { readonly fd: number },
  environment: Readonly<Record<string, string | undefined>>,
): Screen {
  const isTerminal = isatty(stream.fd);
  return {
    columns: isTerminal ? Math.max(MIN_COLUMNS, stream.columns || 80) : undefined,
    style: palette({ isTerminal, environment }),
    line: (text = "") => {
      stream.write(`${text}\n`);
    },
  };
}
