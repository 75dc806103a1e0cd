/** Writes JSON that is safe to show. */

/** JSON in which no character can steer a terminal or turn the direction of text. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
