/**
 * The secrets that encrypted recordings are opened with, and where they come from: files that options
 * name, the environment, the terminal. Never the command line itself, which every user of the machine
 * can read.
 */
import { FlightError } from "@orangebox/format";
import { readFileSync } from "node:fs";

import { cannotRead } from "../files/file-source.ts";
import type { AskHidden } from "./ask-hidden.ts";

/** What options of a command say about secrets. */
export interface KeyOptions {
  /** Files with secret keys, `AGE-SECRET-KEY-…`, one a line. */
  readonly keyFile?: readonly string[];
  readonly passphraseFile?: string;
}

/** Where secrets come from. */
export interface KeySources {
  readonly options: KeyOptions;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Asks at the terminal; undefined when there is none to ask at. */
  readonly ask: AskHidden | undefined;
}

/** Gives secrets when they are first needed; what was given once is not asked for again. */
export interface KeyRing {
  /** Secret keys, possibly none. @throws {FlightError} when a key file cannot be read or holds none. */
  identities(): readonly string[];
  /**
   * The passphrase, or undefined when there is none anywhere.
   *
   * @param purpose Whether a slip of the fingers would lock a file for ever: then it is asked twice.
   */
  passphrase(purpose: "open" | "seal"): Promise<Uint8Array | undefined>;
}

const MAX_SECRET_BYTES = 2 ** 20;

/** Gathers secrets; nothing is read before it is asked for. */
export function openKeyRing({ options, environment, ask }: KeySources): KeyRing {
  let identities: readonly string[] | undefined;
  let passphrase: Uint8Array | undefined;
  return {
    identities() {
      identities ??= findIdentities(options, environment);
      return identities;
    },
    async passphrase(purpose) {
      passphrase ??= givenPassphrase(options, environment) ?? (await askPassphrase(ask, purpose));
      return passphrase;
    },
  };
}

/** A ring of secrets that are at hand, for programs. */
export function keyRingOf(secrets: {
  readonly identities?: readonly string[] | undefined;
  readonly passphrase?: string | Uint8Array | undefined;
}): KeyRing {
  const { identities = [], passphrase } = secrets;
  return {
    identities: () => identities,
    passphrase: () =>
      Promise.resolve(typeof passphrase === "string" ? encodeUtf8(passphrase) : passphrase),
  };
}

/**
 * Reads the secret keys of a file as `flight keygen` and `age-keygen` write it.
 *
 * @throws {FlightError} `FLIGHT_READ`, or `FLIGHT_BAD_CONFIG` when it holds none.
 */
export function readKeyFile(path: string): string[] {
  return keysIn(new TextDecoder().decode(readSecret(path)), path);
}

function findIdentities(
  { keyFile = [] }: KeyOptions,
  environment: KeySources["environment"],
): string[] {
  if (keyFile.length > 0) return keyFile.flatMap(readKeyFile);
  const { FLIGHT_KEY: text, FLIGHT_KEY_FILE: path } = environment;
  return [
    ...(text === undefined || text === "" ? [] : keysIn(text, "FLIGHT_KEY")),
    ...(path === undefined || path === "" ? [] : readKeyFile(path)),
  ];
}

function keysIn(text: string, name: string): string[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  // The lines themselves are secret: no message shows one.
  if (lines.length === 0 || !lines.every((line) => /^AGE-SECRET-KEY-[A-Z0-9-]+$/.test(line))) {
    throw new FlightError(
      "FLIGHT_BAD_CONFIG",
      `${name} holds no secret key, or something else beside it`,
      "A key file has lines that begin with AGE-SECRET-KEY-, and comments behind #; flight keygen makes one.",
    );
  }
  return lines;
}

function givenPassphrase(
  { passphraseFile }: KeyOptions,
  environment: KeySources["environment"],
): Uint8Array | undefined {
  if (passphraseFile !== undefined) return passphraseOf(passphraseFile);
  const { FLIGHT_PASSPHRASE: text, FLIGHT_PASSPHRASE_FILE: path } = environment;
  if (text !== undefined && text !== "") return encodeUtf8(text);
  return path === undefined || path === "" ? undefined : passphraseOf(path);
}

/** The bytes of a file, as they are but for one line break at the end. */
function passphraseOf(path: string): Uint8Array {
  const bytes = readSecret(path);
  let end = bytes.length;
  if (bytes[end - 1] === 0x0a) end -= bytes[end - 2] === 0x0d ? 2 : 1;
  if (end > 0) return bytes.subarray(0, end);
  throw new FlightError(
    "FLIGHT_BAD_CONFIG",
    `the passphrase file ${path} is empty`,
    "Write the passphrase into its first line.",
  );
}

async function askPassphrase(
  ask: AskHidden | undefined,
  purpose: "open" | "seal",
): Promise<Uint8Array | undefined> {
  if (ask === undefined) return undefined;
  const text = await ask("Passphrase: ");
  if (text === "") throw usage("the passphrase is empty", "Type one, or name a --passphrase-file.");
  if (purpose === "seal" && (await ask("The same again: ")) !== text) {
    throw usage("the two passphrases differ", "Try again; nothing was written.");
  }
  return encodeUtf8(text);
}

function usage(message: string, hint: string): FlightError {
  return new FlightError("FLIGHT_USAGE", message, hint);
}

function readSecret(path: string): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw cannotRead(path, error);
  }
  if (bytes.length <= MAX_SECRET_BYTES) return bytes;
  throw new FlightError(
    "FLIGHT_BAD_CONFIG",
    `${path} is larger than 1 MiB`,
    "Name the file that holds the secret, not the recording.",
  );
}

function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
