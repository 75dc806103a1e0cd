/** What is said when a secret does not fit a file. */
import { FlightError } from "@orangebox/format";

/** The error for a passphrase that does not open a file. */
export function wrongPassphrase(name: string, cause?: unknown): FlightError {
  return new FlightError(
    "FLIGHT_WRONG_KEY",
    `the passphrase does not open ${name}`,
    "Check the passphrase. If it is right, the beginning of the file was altered: fetch it again.",
    { cause },
  );
}

/** The error for secret keys of which none opens a file. */
export function wrongKey(name: string, cause?: unknown): FlightError {
  return new FlightError(
    "FLIGHT_WRONG_KEY",
    `${name} is not encrypted to the key that was given`,
    "Give the secret key of one of its public keys; flight keygen --public FILE shows whose a key file is.",
    { cause },
  );
}
