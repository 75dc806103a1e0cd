/** Encrypted recordings: round trips, and what is said of each way in which a file can be wrong. */
import {
  Encrypter,
  generateHybridIdentity,
  generateX25519Identity,
  identityToRecipient,
} from "age-encryption";
import fc from "fast-check";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFlightError } from "@orangebox/format";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { decryptRecording } from "../src/encryption/decrypt-file.ts";
import type { DecryptTarget } from "../src/encryption/decrypt-file.ts";
import { encryptRecording } from "../src/encryption/encrypt-file.ts";
import { keyRingOf } from "../src/encryption/key-ring.ts";
import type { KeyRing } from "../src/encryption/key-ring.ts";
import { openEncrypted } from "../src/encryption/open-encrypted.ts";
import { bytesSource } from "../src/files/file-source.ts";
import { read } from "../src/files/read-recording.ts";
import { averageRecording } from "../../analysis/test/average-recording.ts";

const CHUNK = 65_536;
const SIZES = [0, 1, 15, 16, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 ** 20, 2 ** 20 + 1];
const LARGE = 10 * 2 ** 20;
const passphrase = keyRingOf({ passphrase: "correct horse" });
/** Of the specification: passphrase, salt 00..0f, nonce 00..0b, "FLGT test". */
const GOLDEN =
  "464c4754454e4331000102030405060708090a0b0c0d0e0f000102030405060708090a0be26fcba0702e802386379980a99aae695165704389e2f3ead2";

let identity = "";
let recipient = "";
let key: KeyRing = passphrase;
beforeAll(async () => {
  identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
  key = keyRingOf({ identities: [identity] });
});

type Form = "age" | "enc";
const FORMS: readonly Form[] = ["age", "enc"];

function ringFor(form: Form): KeyRing {
  return form === "age" ? key : passphrase;
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "flight-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Bytes that begin and end as a recording does; shorter ones have the beginning alone. */
function recordingOf(size: number): Uint8Array {
  const bytes = Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) & 0xff);
  if (size >= 8) bytes.set(Buffer.from("TLGF"), size - 4);
  bytes.set(Buffer.from("FLGT").subarray(0, size));
  return bytes;
}

async function sealed(form: Form, bytes: Uint8Array): Promise<Uint8Array> {
  const path = join(folder(), "a.flight");
  writeFileSync(path, bytes);
  const recipients = form === "age" ? [recipient] : [];
  return readFileSync(await encryptRecording(path, { recipients }, ringFor(form)));
}

/** What opening gives: the bytes, or the code of the error. */
async function opened(bytes: Uint8Array, keys: KeyRing): Promise<Uint8Array | string> {
  try {
    const { source, isCut } = await openEncrypted("x", bytesSource(bytes), keys);
    if (isCut) return "FLIGHT_CUT";
    return source instanceof Uint8Array ? source : source.read(0, source.sizeBytes);
  } catch (error) {
    if (!isFlightError(error)) throw error;
    // Every message names the file.
    return /\bx\b|^the file is not/.test(error.message) ? error.code : error.message;
  }
}

async function decryptInto(bytes: Uint8Array, target: DecryptTarget, keys: KeyRing) {
  const path = join(folder(), "b.flight.age");
  writeFileSync(path, bytes);
  return decryptRecording(path, target, keys);
}

describe.each(FORMS)("a round trip as .%s", (form) => {
  test.each([4, 8, ...SIZES.slice(2), LARGE])("of %i bytes gives the same", async (size) => {
    const bytes = recordingOf(size);
    const file = await sealed(form, bytes);
    const back = await opened(file, ringFor(form));
    expect(typeof back === "string" ? back : Buffer.compare(back, bytes)).toBe(0);
    const { path, isCut } = await decryptInto(file, {}, ringFor(form));
    expect(isCut).toBe(false);
    expect(Buffer.compare(readFileSync(path), bytes)).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("of any bytes gives the same", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (rest) => {
        const bytes = Buffer.concat([Buffer.from("FLGT"), rest]);
        const back = await opened(await sealed(form, bytes), ringFor(form));
        expect(typeof back === "string" ? back : Buffer.compare(back, bytes)).toBe(0);
      }),
      { numRuns: 20 },
    );
  });

  test("can be read at any place", async () => {
    const bytes = recordingOf(3 * CHUNK + 100);
    const { source } = await openEncrypted(
      "x",
      bytesSource(await sealed(form, bytes)),
      ringFor(form),
    );
    const at = source instanceof Uint8Array ? bytesSource(source) : source;
    fc.assert(
      fc.property(fc.nat(bytes.length), fc.nat(2 * CHUNK), (offset, wanted) => {
        const length = Math.min(wanted, bytes.length - offset);
        const part = bytes.subarray(offset, offset + length);
        expect(Buffer.compare(at.read(offset, length), part)).toBe(0);
      }),
      { numRuns: 100 },
    );
  });
});

/** Files of the age library of every size that is a border, the empty one included. */
test.each(SIZES)("opens %i bytes that the age library encrypted", async (size) => {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  const bytes = recordingOf(size);
  expect(await opened(await encrypter.encrypt(bytes), key)).toEqual(bytes);
});

test("opens what the age tools encrypted with a passphrase", async () => {
  const encrypter = new Encrypter();
  encrypter.setPassphrase("correct horse");
  encrypter.setScryptWorkFactor(8);
  const file = await encrypter.encrypt(recordingOf(20));
  expect(await opened(file, passphrase)).toEqual(recordingOf(20));
  expect(await opened(file, keyRingOf({ passphrase: "wrong" }))).toBe("FLIGHT_WRONG_KEY");
  expect(await opened(file, keyRingOf({}))).toBe("FLIGHT_ENCRYPTED");
});

test("opens what was encrypted to a post-quantum key", async () => {
  const hybrid = await generateHybridIdentity();
  const path = join(folder(), "a.flight");
  writeFileSync(path, recordingOf(30));
  const recipients = [recipient, await identityToRecipient(hybrid)];
  const made = await encryptRecording(path, { recipients }, keyRingOf({}));
  const file = readFileSync(made);
  expect(await opened(file, keyRingOf({ identities: [hybrid] }))).toEqual(recordingOf(30));
  expect(await opened(file, key)).toEqual(recordingOf(30));
});

test("decrypts the golden envelope of the format", async () => {
  const golden = Buffer.from(GOLDEN, "hex");
  expect(await opened(golden, passphrase)).toEqual(Buffer.from("FLGT test"));
  const bytes = keyRingOf({ passphrase: Buffer.from("correct horse") });
  expect(await opened(golden, bytes)).toEqual(Buffer.from("FLGT test"));
});

describe.each(FORMS)("a wrong .%s file", (form) => {
  const REFUSED = ["FLIGHT_WRONG_KEY", "FLIGHT_ALTERED", "FLIGHT_CUT"];

  test("is refused whatever single byte is altered", async () => {
    const file = await sealed(form, recordingOf(24));
    const codes = new Map<string, number>();
    // Deriving a key from a passphrase takes 40 ms, by design.
    for (const flip of form === "age" ? [0x01, 0x80, 0xff] : [0x01]) {
      for (let at = 0; at < file.length; at++) {
        const altered = file.with(at, (file[at] ?? 0) ^ flip);
        // Behind the magic: before it, the file is no longer an encrypted one.
        const isMagic = at < (form === "age" ? 16 : 8);
        const code = isMagic ? await refusal(altered) : await opened(altered, ringFor(form));
        if (typeof code !== "string") throw new Error(`byte ${at} ^ ${flip} was accepted`);
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    }
    expect([...codes.keys()].toSorted()).toEqual(["FLIGHT_NOT_ENCRYPTED", ...REFUSED].toSorted());
    // What is behind the first bytes is told apart from a wrong key.
    for (let at = file.length - 16; at < file.length; at++) {
      expect(await opened(file.with(at, (file[at] ?? 0) ^ 1), ringFor(form))).toBe(
        "FLIGHT_ALTERED",
      );
    }
  }, 120_000);

  test("is refused wherever it is cut, as a cut one", async () => {
    const file = await sealed(form, recordingOf(24));
    const magic = form === "age" ? 10 : 8;
    for (let size = magic; size < file.length; size++) {
      expect([size, await opened(file.slice(0, size), ringFor(form))]).toEqual([
        size,
        "FLIGHT_CUT",
      ]);
    }
  }, 120_000);

  test("is refused when something is added", async () => {
    for (const size of [64, CHUNK, CHUNK + 10]) {
      const file = await sealed(form, recordingOf(size));
      for (const added of [1, 16, 17, 40]) {
        const longer = Buffer.concat([file, new Uint8Array(added)]);
        expect(REFUSED).toContain(await opened(longer, ringFor(form)));
      }
    }
  });

  test("and a wrong secret are told apart", async () => {
    const file = await sealed(form, recordingOf(64));
    const other = keyRingOf({
      identities: [await generateX25519Identity()],
      passphrase: "wrong horse",
    });
    expect(await opened(file, other)).toBe("FLIGHT_WRONG_KEY");
    expect(await opened(file, keyRingOf({}))).toBe("FLIGHT_ENCRYPTED");
  });

  test("leaves no new file, and the old one as it was", async () => {
    const file = await sealed(form, recordingOf(5 * CHUNK));
    const middle = Math.floor(file.length / 2);
    for (const [bytes, code] of [
      [file.with(middle, (file[middle] ?? 0) ^ 4), "FLIGHT_ALTERED"],
      [file.slice(0, middle), "FLIGHT_CUT"],
    ] as const) {
      const path = join(folder(), "c.flight.age");
      writeFileSync(path, bytes);
      const expected = expect.objectContaining({ code });
      await expect(decryptRecording(path, {}, ringFor(form))).rejects.toThrow(expected);
      expect(readdirSync(join(path, ".."))).toEqual(["c.flight.age"]);
      expect(Buffer.compare(readFileSync(path), bytes)).toBe(0);
    }
  });
});

async function refusal(bytes: Uint8Array): Promise<string> {
  return decryptInto(bytes, {}, key).then(
    () => "accepted",
    (error: unknown) => (isFlightError(error) ? error.code : String(error)),
  );
}

test("an altered chunk of many is found, wherever it is", async () => {
  const file = await sealed("age", recordingOf(4 * CHUNK));
  for (const chunk of [0, 1, 2, 3]) {
    const at = file.length - (4 - chunk) * (CHUNK + 16) + 100;
    expect(await opened(file.with(at, (file[at] ?? 0) ^ 1), key)).toBe("FLIGHT_ALTERED");
  }
});

test("chunks that were exchanged are found", async () => {
  const file = await sealed("age", recordingOf(4 * CHUNK));
  const start = file.length - 4 * (CHUNK + 16);
  const chunk = (index: number): Uint8Array =>
    file.subarray(start + index * (CHUNK + 16), start + (index + 1) * (CHUNK + 16));
  const swapped = Buffer.concat([file.subarray(0, start), chunk(1), chunk(0), chunk(2), chunk(3)]);
  expect(await opened(swapped, key)).toBe("FLIGHT_ALTERED");
});

test("of a cut age file, what is whole can be had", async () => {
  const bytes = recordingOf(3 * CHUNK + 50);
  const file = await sealed("age", bytes);
  for (const lost of [1, 40, 66, 67, 1000, CHUNK]) {
    const short = file.slice(0, file.length - lost);
    const expected = expect.objectContaining({ code: "FLIGHT_CUT" });
    await expect(decryptInto(short, {}, key)).rejects.toThrow(expected);
    const { path, isCut } = await decryptInto(short, { salvage: true }, key);
    expect(isCut).toBe(true);
    const size = lost <= 66 ? 3 * CHUNK : 2 * CHUNK;
    expect(Buffer.compare(readFileSync(path), bytes.subarray(0, size))).toBe(0);
  }
});

test("programs read encrypted recordings by read()", async () => {
  const plain = averageRecording();
  for (const form of FORMS) {
    const file = await sealed(form, plain);
    const recording = await read(file, { identities: [identity], passphrase: "correct horse" });
    expect(recording.status).toBe("sealed");
    await expect(read(file)).rejects.toThrow(expect.objectContaining({ code: "FLIGHT_ENCRYPTED" }));
  }
  expect((await read(plain)).status).toBe("sealed");
});
