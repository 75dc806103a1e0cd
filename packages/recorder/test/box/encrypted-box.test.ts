/** Boxes that are encrypted while they are written: what reaches the disk, and who can read it. */
import { Decrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import fc from "fast-check";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { openRecording, pureCodec, type Recording } from "@orangebox/format";
import { type BoxIo, diskIo } from "../../src/box/box-io.ts";
import { EncryptingSink } from "../../src/box/encrypting-sink.ts";
import { limitBoxes } from "../../src/box/limit-boxes.ts";
import { nodeCodec } from "../../src/box/node-codec.ts";
import { writeBox } from "../../src/box/write-box.ts";
import { CREATED_MS, largeBox, sampleBox } from "./sample-box.ts";
import { openBox, temporaryFolder } from "./temporary-folder.ts";

const CHUNK = 65_536;
/** A text of the sample that a plain box has in the clear when it is not compressed. */
const MARKER = "customer 9";
const NAME = `flight-7-${CREATED_MS}.flight.age`;

let identity = "";
let recipient = "";
let other = "";
beforeAll(async () => {
  identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
  other = await generateX25519Identity();
});

/** Encrypts what `feed` writes and gives the file, and how many blocks it had at each write. */
function encrypted(
  feed: (sink: EncryptingSink) => void,
  recipients: readonly string[] = [recipient],
): Uint8Array {
  const parts: Uint8Array[] = [];
  const inner = { write: (bytes: Uint8Array) => void parts.push(bytes.slice()) };
  const sink = new EncryptingSink(inner, { recipients, flightVersion: "0.1.0-orangebox" });
  feed(sink);
  sink.end();
  return Buffer.concat(parts);
}

async function decrypted(file: Uint8Array, key: string = identity): Promise<Uint8Array> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(key);
  return decrypter.decrypt(file);
}

function bytesOf(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) & 0xff);
}

function blockNames(recording: Recording): string[] {
  expect(recording).toMatchObject({ status: "sealed", problems: [] });
  return recording.blocks.map(({ name }) => name);
}

describe("what the sink writes, the age library reads", () => {
  const sizes = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 3 * CHUNK + 7];
  test.each([...sizes, 10 * 2 ** 20])("at %i bytes", async (size) => {
    const bytes = bytesOf(size);
    const file = encrypted((sink) => sink.write(bytes));
    expect(Buffer.compare(await decrypted(file), bytes)).toBe(0);
  });

  test("however it is cut into writes", async () => {
    const writes = fc.array(fc.nat(CHUNK * 2), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(writes, async (lengths) => {
        const bytes = bytesOf(lengths.reduce((sum, length) => sum + length, 0));
        const file = encrypted((sink) => {
          let at = 0;
          for (const length of lengths) {
            sink.write(bytes.subarray(at, at + length));
            sink.flush();
            at += length;
          }
        });
        expect(Buffer.compare(await decrypted(file), bytes)).toBe(0);
      }),
      { numRuns: 25 },
    );
  });

  test("with each of several keys, and no other", async () => {
    const second = await generateX25519Identity();
    const keys = [recipient, await identityToRecipient(second)];
    const file = encrypted((sink) => sink.write(bytesOf(9)), keys);
    expect(await decrypted(file)).toEqual(bytesOf(9));
    expect(await decrypted(file, second)).toEqual(bytesOf(9));
    await expect(decrypted(file, other)).rejects.toThrow("no identity matched");
  });

  test("twice the same box gives two files that have nothing in common behind the first lines", () => {
    const [one, two] = [0, 1].map(() => encrypted((sink) => sink.write(bytesOf(100))));
    if (one === undefined || two === undefined) throw new Error("two files");
    const head = Buffer.from(one).indexOf("-> X25519 ") + "-> X25519 ".length;
    expect(Buffer.compare(one.subarray(0, head), two.subarray(0, head))).toBe(0);
    expect(Buffer.from(two).includes(Buffer.from(one.subarray(head, head + 8)))).toBe(false);
    expect(Buffer.from(two).includes(Buffer.from(one.subarray(-24)))).toBe(false);
  });
});

test("the end of a block is told when its bytes are written, not before", () => {
  const seen: string[] = [];
  const sink = new EncryptingSink(
    {
      write: (bytes) => void seen.push(`write ${bytes.length}`),
      flush: () => void seen.push("flush"),
    },
    { recipients: [recipient], flightVersion: "1" },
  );
  seen.length = 0;
  sink.write(bytesOf(10));
  sink.flush();
  sink.write(bytesOf(CHUNK - 10));
  expect(seen).toEqual([]);
  sink.write(bytesOf(1));
  expect(seen).toEqual([`write ${CHUNK + 16}`, "flush"]);
  sink.flush();
  sink.end();
  expect(seen.slice(2)).toEqual(["write 17", "flush"]);
});

describe("a box", () => {
  test("is a whole recording behind its key, in a file of its owner's", async () => {
    const dir = temporaryFolder();
    const result = writeBox(sampleBox(), {
      dir,
      pid: 7,
      prefix: "flight",
      encryptTo: [recipient],
    });
    expect(result).toEqual({ path: join(dir, NAME), whole: true });
    expect(statSync(join(dir, NAME)).mode & 0o777).toBe(0o600);
    const plain = writeBox(sampleBox(), { dir, pid: 8, prefix: "flight" });
    const bytes = await decrypted(readFileSync(join(dir, NAME)));
    const names = blockNames(openRecording(bytes, { codec: nodeCodec() }));
    expect(names).toEqual(blockNames(openBox(plain.path ?? "")));
    expect(() => openBox(join(dir, NAME))).toThrow(
      expect.objectContaining({ code: "FLIGHT_ENCRYPTED" }),
    );
  });

  test.each([false, true])(
    "never has a byte in the clear on disk (a disk that fails on the way: %s)",
    async (fails) => {
      const base = temporaryFolder();
      const seen: Uint8Array[] = [];
      let count = 0;
      const io: BoxIo = {
        ...diskIo,
        write(descriptor, bytes, offset) {
          seen.push(bytes.slice(offset));
          if (fails && ++count === 4) throw Object.assign(new Error("full"), { code: "ENOSPC" });
          return diskIo.write(descriptor, bytes, offset);
        },
      };
      const result = writeBox(
        { ...largeBox(20_000), sources: [] },
        {
          dir: join(base, "out"),
          fallbackDir: join(base, "other"),
          pid: 7,
          prefix: "flight",
          encryptTo: [recipient],
        },
        { io, codec: pureCodec },
      );
      const written = Buffer.concat(seen);
      const plain = await decrypted(readFileSync(result.path ?? ""));
      // The same bytes in the clear would show it.
      expect(Buffer.from(plain).includes(MARKER)).toBe(true);
      expect(plain.length).toBeGreaterThan(4 * CHUNK);
      expect(written.includes(MARKER)).toBe(false);
      expect(written.includes("FLGT")).toBe(false);
      expect(written.subarray(0, 22).toString()).toBe("age-encryption.org/v1\n");
      const files = readdirSync(base, { recursive: true, withFileTypes: true });
      expect(files.filter((file) => file.isFile()).map(({ name }) => name)).toEqual([NAME]);
    },
  );

  test.each([
    ["unusable", "encryptTo names no usable public key"],
    // The point of order 1: with it every secret would be zero.
    ["age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq", ""],
  ])("for the key %s is not written at all", (key, reason) => {
    const dir = temporaryFolder();
    const { path, problem } = writeBox(sampleBox(), {
      dir,
      fallbackDir: join(dir, "other"),
      pid: 7,
      prefix: "flight",
      encryptTo: [recipient, key],
    });
    expect(path).toBeUndefined();
    expect(problem).toContain(`no box was written: ${reason}`);
    expect(readdirSync(dir, { recursive: true })).toEqual([]);
  });

  test("of which a disk takes only a part is kept as far as its chunks are whole", async () => {
    const dir = temporaryFolder();
    let left = 150_000;
    const io: BoxIo = {
      ...diskIo,
      write(descriptor, bytes, offset) {
        const count = Math.min(left, bytes.length - offset);
        if (count === 0) throw Object.assign(new Error("full"), { code: "ENOSPC" });
        left -= count;
        return diskIo.write(descriptor, bytes.subarray(0, offset + count), offset);
      },
    };
    const result = writeBox(
      largeBox(20_000),
      { dir, fallbackDir: dir, pid: 7, prefix: "flight", encryptTo: [recipient] },
      { io, codec: pureCodec },
    );
    expect(result).toMatchObject({ whole: false, problem: "the box is cut short: full" });
    expect(statSync(result.path ?? "").size).toBe(150_000);
    await expect(decrypted(readFileSync(result.path ?? ""))).rejects.toThrow("invalid tag");
  });

  test("gets a number before its endings when its name is taken", () => {
    const dir = temporaryFolder();
    const target = { dir, pid: 7, prefix: "flight", encryptTo: [recipient] };
    writeBox(sampleBox(), target);
    const second = writeBox(sampleBox(), target);
    expect(basename(second.path ?? "")).toBe(`flight-7-${CREATED_MS}-1.flight.age`);
  });

  test("makes room as plain ones do, and leaves age files of others alone", async () => {
    const dir = temporaryFolder();
    for (const pid of [1, 2, 3]) {
      writeBox(sampleBox(), { dir, pid, prefix: "flight", encryptTo: [recipient] });
    }
    const { Encrypter } = await import("age-encryption");
    const encrypter = new Encrypter();
    encrypter.addRecipient(recipient);
    const foreign = join(dir, "flight-0-0.flight.age");
    writeFileSync(foreign, await encrypter.encrypt("mine"));
    const kept = join(dir, `flight-3-${CREATED_MS}.flight.age`);
    const limits = { maxBoxes: 1, maxBytes: 2 ** 30, keep: kept, nowMs: Date.now() };
    limitBoxes(dir, limits);
    expect(readdirSync(dir).toSorted()).toEqual([basename(foreign), basename(kept)]);
  });
});
