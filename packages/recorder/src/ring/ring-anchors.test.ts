import { expect, test } from "vitest";
import { createMemoryRing, type Ring, writeAnchor } from "./open-ring.ts";
import { decodeRing } from "./read-ring.ts";
import { encodeRingHeader, RING_VERSION } from "./ring-layout.ts";

/** A ring in plain memory with the header that a mapped one has. */
function memoryRing(capacity: number): Ring {
  const ring = createMemoryRing(capacity, 0, "a test");
  encodeRingHeader(new Uint8Array(ring.events.buffer), {
    version: RING_VERSION,
    capacity: ring.capacity,
    pid: 1,
    threadId: 0,
    processStart: 2,
    createdUnixMs: 3,
    createdMonotonicNs: 4n,
    pidNamespace: 5,
    bootId: "boot",
    nodeVersion: "v24",
    platform: "linux/x64",
  });
  return ring;
}

function store(ring: Ring, count: number): void {
  for (let i = 0; i < count; i++) {
    const next = ring.head[0] ?? 0;
    ring.head[0] = next + 1;
    ring.events[next & ring.mask] = 1 + (next & 0xffff);
  }
}

function bytesOf(ring: Ring): Uint8Array {
  return new Uint8Array(ring.events.buffer);
}

test("keeps anchors that are apart in time", () => {
  const ring = memoryRing(64);
  for (const atMs of [100, 200, 300]) {
    store(ring, 5);
    writeAnchor(ring, atMs);
  }
  expect(decodeRing(bytesOf(ring)).anchors).toEqual([
    { index: 5, atMs: 100 },
    { index: 10, atMs: 200 },
    { index: 15, atMs: 300 },
  ]);
});

test("moves the newest anchor on while it is close to the one before it", () => {
  const ring = memoryRing(65_536);
  for (const atMs of [100, 101, 102, 103]) {
    store(ring, 5);
    writeAnchor(ring, atMs);
  }
  expect(decodeRing(bytesOf(ring)).anchors).toEqual([
    { index: 5, atMs: 100 },
    { index: 20, atMs: 103 },
  ]);
});

test("writes no anchor when nothing happened since the last one", () => {
  const ring = memoryRing(64);
  store(ring, 1);
  writeAnchor(ring, 100);
  writeAnchor(ring, 900);
  expect(decodeRing(bytesOf(ring)).anchors).toEqual([{ index: 1, atMs: 100 }]);
});

test("counts on behind 2^32 events, and still knows that the ring wrapped", () => {
  const ring = memoryRing(64);
  store(ring, 64);
  ring.head[0] = 2 ** 32 - 10;
  writeAnchor(ring, 100);
  store(ring, 15);
  writeAnchor(ring, 200);
  const { anchors, firstIndex, events, wrapped } = decodeRing(bytesOf(ring));
  expect(anchors).toEqual([
    { index: 2 ** 32 - 10, atMs: 100 },
    { index: 2 ** 32 + 5, atMs: 200 },
  ]);
  expect({ firstIndex, length: events.length, wrapped }).toEqual({
    firstIndex: 2 ** 32 + 5 - 64,
    length: 64,
    wrapped: true,
  });
});

test("keeps the newest anchors when there are more than fit", () => {
  const ring = memoryRing(64);
  for (let i = 1; i <= 2000; i++) {
    store(ring, 1);
    writeAnchor(ring, i * 1000);
  }
  const { anchors } = decodeRing(bytesOf(ring));
  expect(anchors).toHaveLength(512);
  expect(anchors[0]).toEqual({ index: 1489, atMs: 1_489_000 });
  expect(anchors.at(-1)).toEqual({ index: 2000, atMs: 2_000_000 });
});

test("keeps what is whole when a ring is cut after any byte", () => {
  const ring = memoryRing(16);
  store(ring, 20);
  writeAnchor(ring, 100);
  const bytes = bytesOf(ring);
  const whole = [...decodeRing(bytes).events];
  for (let length = 0; length < bytes.length; length++) {
    const { header, events, problems } = decodeRing(bytes.subarray(0, length));
    expect(problems).not.toEqual([]);
    expect(header === undefined).toBe(length < 256);
    expect([...events].every((word) => whole.includes(word) || word < 0x10000)).toBe(true);
  }
});

test("never throws for a ring with a flipped bit", () => {
  const ring = memoryRing(16);
  store(ring, 20);
  writeAnchor(ring, 100);
  const bytes = bytesOf(ring).slice();
  for (let bit = 0; bit < 512 * 8; bit++) {
    flip(bytes, bit);
    const { header, problems } = decodeRing(bytes);
    expect(header !== undefined || problems.length > 0).toBe(true);
    flip(bytes, bit);
  }
});

function flip(bytes: Uint8Array, bit: number): void {
  const index = bit >> 3;
  bytes[index] = (bytes[index] ?? 0) ^ (1 << (bit & 7));
}
