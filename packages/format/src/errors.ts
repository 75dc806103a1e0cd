/**
 * The one error class of the product and the list of its codes.
 *
 * A code never changes its meaning and is never used again for something else. Each has a heading
 * in docs/errors.md, which a test keeps equal to the list below.
 */

/** Every code that a {@link FlightError} may carry, in the order of docs/errors.md. */
export const FLIGHT_ERROR_CODES = [
  "FLIGHT_ALTERED",
  "FLIGHT_BAD_CONFIG",
  "FLIGHT_BAD_HEADER",
  "FLIGHT_BAD_MAGIC",
  "FLIGHT_BAD_NODE",
  "FLIGHT_BAD_VERSION",
  "FLIGHT_BLOCK_TOO_LARGE",
  "FLIGHT_CANNOT_COMPILE",
  "FLIGHT_CUT",
  "FLIGHT_DECRYPT",
  "FLIGHT_ENCRYPTED",
  "FLIGHT_EXISTS",
  "FLIGHT_NOT_A_FILE",
  "FLIGHT_NOT_ENCRYPTED",
  "FLIGHT_NOT_FOUND",
  "FLIGHT_READ",
  "FLIGHT_USAGE",
  "FLIGHT_WRITE",
  "FLIGHT_WRONG_KEY",
] as const;

/** One of {@link FLIGHT_ERROR_CODES}. */
export type FlightErrorCode = (typeof FLIGHT_ERROR_CODES)[number];

/** Something outside the program's control that stops an operation; never damage behind a header. */
export class FlightError extends Error {
  /** Stable identifier; compare with {@link isFlightError}. */
  readonly code: FlightErrorCode;
  /** What the reader of the message can do next, in the imperative. */
  readonly hint: string;

  constructor(code: FlightErrorCode, message: string, hint: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "FlightError";
    this.code = code;
    this.hint = hint;
  }
}

const KNOWN_CODES: ReadonlySet<string> = new Set(FLIGHT_ERROR_CODES);

/**
 * Tells whether `error` is a {@link FlightError}, and has `code` if one is given.
 *
 * Looks at the fields and not at the class: two copies of this package may be loaded.
 */
export function isFlightError(error: unknown, code?: FlightErrorCode): error is FlightError {
  if (!(error instanceof Error) || !("code" in error) || !("hint" in error)) return false;
  const known = typeof error.code === "string" && KNOWN_CODES.has(error.code);
  return known && typeof error.hint === "string" && (code === undefined || error.code === code);
}
