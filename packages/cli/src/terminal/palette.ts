/** Colours for terminals that want them. */

/** Writes text in a style, or as it is when colours are off. */
export type Style = (text: string) => string;

/** The styles in use. Each closes what it opens. */
export interface Palette {
  readonly bold: Style;
  readonly dim: Style;
  readonly red: Style;
  readonly yellow: Style;
  readonly green: Style;
  readonly cyan: Style;
}

/** What decides whether there are colours. */
export interface ColorSettings {
  readonly isTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Tells whether to use colours: FORCE_COLOR decides if set (`0` and `false` mean no), then
 * NO_COLOR, then TERM=dumb, then whether the output is a terminal.
 */
export function wantsColor({ isTerminal, environment }: ColorSettings): boolean {
  const forced = environment["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if ((environment["NO_COLOR"] ?? "") !== "") return false;
  return isTerminal && environment["TERM"] !== "dumb";
}

/** Gives the styles for an output. */
export function palette(settings: ColorSettings): Palette {
  const on = wantsColor(settings);
  const style =
    (open: number, close: number): Style =>
    (text) =>
      on && text !== "" ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    yellow: style(33, 39),
    green: style(32, 39),
    cyan: style(36, 39),
  };
}
