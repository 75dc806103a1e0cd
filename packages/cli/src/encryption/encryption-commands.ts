/** The commands `flight encrypt`, `flight decrypt` and `flight keygen`. */
import { visibleText } from "@orangebox/analysis";
import { FlightError, isFlightError } from "@orangebox/format";
import { readFileSync } from "node:fs";

import { cannotRead } from "../files/file-source.ts";
import { writeNewFile } from "../files/new-file.ts";
import type { Screen } from "../terminal/screen.ts";
import { decryptRecording } from "./decrypt-file.ts";
import type { DecryptTarget } from "./decrypt-file.ts";
import { encryptRecording } from "./encrypt-file.ts";
import { readKeyFile } from "./key-ring.ts";
import type { KeyOptions, KeyRing } from "./key-ring.ts";

/** What the command line says about encrypting. */
export interface EncryptOptions {
  readonly recipient?: readonly string[];
  readonly recipientsFile?: readonly string[];
  readonly passphraseFile?: string;
  readonly output?: string;
  readonly force?: boolean;
  readonly remove?: boolean;
}

/** What the command line says about decrypting. */
export type DecryptOptions = DecryptTarget & KeyOptions;

/** What the command line says about a new key. */
export interface KeygenOptions {
  readonly output?: string;
  readonly public?: string;
  readonly postQuantum?: boolean;
}

/** Where commands print. */
export interface Screens {
  readonly screen: Screen;
  /** For what is said beside the result. */
  readonly errors: Screen;
}

/** Encrypts a file and says where to. @throws {FlightError} as `encryptRecording`. */
export async function encrypt(
  path: string,
  options: EncryptOptions,
  { keys, screen }: { readonly keys: KeyRing; readonly screen: Screen },
): Promise<void> {
  const { recipient = [], recipientsFile = [], ...target } = options;
  const recipients = [...recipient, ...recipientsFile.flatMap(readRecipients)];
  const made = await encryptRecording(path, { ...target, recipients }, keys);
  screen.line(`encrypted → ${visibleText(made)}`);
}

/** Decrypts a file and says where to. @throws {FlightError} as `decryptRecording`. */
export async function decrypt(
  path: string,
  options: DecryptOptions,
  { keys, screen, errors }: Screens & { readonly keys: KeyRing },
): Promise<void> {
  const made = await decryptRecording(path, options, keys);
  if (made.isCut) errors.line(`warning: the end of ${visibleText(path)} is missing`);
  screen.line(`decrypted → ${visibleText(made.path)}`);
}

/** Makes a pair of keys, or shows the public one of a file. @throws {FlightError} */
export async function keygen(options: KeygenOptions, { screen, errors }: Screens): Promise<void> {
  const age = await import("age-encryption");
  if (options.public !== undefined) {
    for (const identity of readKeyFile(options.public)) {
      screen.line(await publicKey(age.identityToRecipient, identity));
    }
    return;
  }
  const isHybrid = options.postQuantum === true;
  const identity = await (isHybrid ? age.generateHybridIdentity() : age.generateX25519Identity());
  const recipient = await age.identityToRecipient(identity);
  const lines = [`# created: ${new Date().toISOString()}`, `# public key: ${recipient}`, identity];
  const { output } = options;
  if (output === undefined) {
    for (const line of lines) screen.line(line);
    errors.line(`public key: ${recipient}`);
    return;
  }
  const text = new TextEncoder().encode(`${lines.join("\n")}\n`);
  try {
    await writeNewFile({ path: output, replace: false }, (write) => write(text));
  } catch (error) {
    if (!isFlightError(error, "FLIGHT_EXISTS")) throw error;
    // There is no --force: a key that is replaced locks every file that was encrypted to it.
    const hint = "Name another file: what was encrypted to a key that is replaced is lost.";
    throw new FlightError(error.code, error.message, hint, { cause: error });
  }
  screen.line(`secret key → ${visibleText(output)}`);
  screen.line(`public key: ${recipient}`);
}

async function publicKey(
  toRecipient: (identity: string) => Promise<string>,
  identity: string,
): Promise<string> {
  try {
    return await toRecipient(identity);
  } catch (error) {
    throw new FlightError(
      "FLIGHT_BAD_CONFIG",
      "a secret key cannot be used: it is misspelt, cut, or of an unknown kind",
      "Check the key file; flight keygen makes keys that work.",
      { cause: error },
    );
  }
}

/** Public keys of a file, one a line; comments behind `#`. */
function readRecipients(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw cannotRead(path, error);
  }
  const found = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (found.length > 0) return found;
  throw new FlightError(
    "FLIGHT_USAGE",
    `${path} holds no public key`,
    "Write public keys into it, one a line, as flight keygen prints them.",
  );
}
