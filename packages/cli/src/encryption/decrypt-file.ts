/** Decrypts a recording into another file. */
import { encryptedForm, FlightError } from "@orangebox/format";
import type { ByteSource } from "@orangebox/format";

import { openFileSource } from "../files/file-source.ts";
import { writeNewFile } from "../files/new-file.ts";
import { cut } from "./age-payload.ts";
import { removeOriginal } from "./encrypt-file.ts";
import type { KeyRing } from "./key-ring.ts";
import { openAge } from "./open-age.ts";
import { openWithPassphrase } from "./open-envelope.ts";
import type { TakePart } from "./open-envelope.ts";

/** Where a recording is decrypted to. */
export interface DecryptTarget {
  /** Default: the name of the file without `.age` or `.enc`, or with `.flight` behind it. */
  readonly output?: string | undefined;
  /** Whether a file of that name is replaced. */
  readonly force?: boolean;
  /** Whether the encrypted file is deleted, when the new file is complete and on disk. */
  readonly remove?: boolean;
  /** Whether a file whose end is missing is decrypted as far as it is whole; age files alone can be. */
  readonly salvage?: boolean;
}

/** What became of it. */
export interface DecryptedFile {
  readonly path: string;
  readonly isCut: boolean;
}

const PART_BYTES = 2 ** 20;
const START_BYTES = 16;

/**
 * Decrypts a recording and returns the path of the new file.
 *
 * Takes a fixed amount of memory, and writes no byte that is not authentic. When it fails or is killed,
 * no file was changed.
 *
 * @throws {FlightError} `FLIGHT_NOT_ENCRYPTED`, `FLIGHT_ENCRYPTED` without a secret, `FLIGHT_WRONG_KEY`,
 * `FLIGHT_ALTERED`, `FLIGHT_CUT`, `FLIGHT_EXISTS`, `FLIGHT_READ`, `FLIGHT_WRITE`.
 */
export async function decryptRecording(
  path: string,
  target: DecryptTarget,
  keys: KeyRing,
): Promise<DecryptedFile> {
  const source = openFileSource(path);
  const made = target.output ?? plainName(path);
  const newFile = { path: made, replace: target.force === true };
  let isCut = false;
  switch (encryptedForm(source.read(0, Math.min(START_BYTES, source.sizeBytes)))) {
    case "age": {
      const payload = await openAge(path, source, keys);
      if (payload.isCut && target.salvage !== true) throw cutButSome(path, payload);
      ({ isCut } = payload);
      await writeNewFile(newFile, (take) => copy(payload, take));
      break;
    }
    case "envelope":
      await writeNewFile(newFile, (take) => openWithPassphrase(path, source, { keys, take }));
      break;
    case undefined:
      throw new FlightError(
        "FLIGHT_NOT_ENCRYPTED",
        `${path} is not encrypted`,
        "Open it as it is; if it should be encrypted, its beginning was altered or it is another file.",
      );
  }
  if (target.remove === true && !isCut) await removeOriginal(path, made);
  return { path: made, isCut };
}

function plainName(path: string): string {
  const bare = path.replace(/\.(?:age|enc)$/, "");
  return bare === path ? `${path}.flight` : bare;
}

async function copy(payload: ByteSource, take: TakePart): Promise<void> {
  for (let at = 0; at < payload.sizeBytes; at += PART_BYTES) {
    await take(payload.read(at, Math.min(PART_BYTES, payload.sizeBytes - at)));
  }
}

function cutButSome(path: string, { sizeBytes }: ByteSource): FlightError {
  const { code, message } = cut(path, "its last chunk is not whole");
  return new FlightError(
    code,
    message,
    `Fetch the file again from where it was made; --salvage writes the ${sizeBytes} bytes that are whole.`,
  );
}
