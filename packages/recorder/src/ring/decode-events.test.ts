import * as fastCheck from "fast-check";
import { expect, test } from "vitest";
import { decodeEvents, type DecodeOptions } from "./decode-events.ts";
import type { CodeLocation, ResolvedSite } from "./event-sink.ts";

const OUTER: CodeLocation = { file: "/a.js", qualname: "outer", firstLine: 1, entryLine: 2 };
const INNER: CodeLocation = { file: "/a.js", qualname: "inner", firstLine: 10 };
const WAITS: CodeLocation = { file: "/b.js", qualname: "waits", firstLine: 20, async: true };

const SITES: Record<number, ResolvedSite> = {
  1: { kind: "function", line: 1, column: 1, code: OUTER },
  2: { kind: "statement", line: 3, column: 5, code: OUTER },
  3: { kind: "catch", line: 4, column: 7, code: OUTER },
  11: { kind: "function", line: 10, column: 1, code: INNER },
  12: { kind: "statement", line: 11, column: 3, code: INNER },
  13: { kind: "throw", line: 12, column: 3, code: INNER },
  21: { kind: "function", line: 20, column: 1, code: WAITS },
  22: { kind: "await", line: 21, column: 9, code: WAITS },
  23: { kind: "catch", line: 22, column: 5, code: WAITS },
  24: { kind: "await", line: 24, column: 9, code: WAITS },
};

const entry = (id: number): number => id;
const exit = (id: number): number => id + (1 << 28);
const unwind = (id: number): number => (id | (1 << 31)) + (1 << 28);
const suspend = (id: number): number => id + (2 << 28);
const resume = (id: number): number => id + (3 << 28);
const caught = (id: number): number => id + (4 << 28);
const thrown = (id: number): number => id + (5 << 28);
const statement = (id: number): number => id + (6 << 28);

const OPTIONS: DecodeOptions = { resolve: (id) => SITES[id], thread: 0, wrapped: false };

/** Events as `kind qualname:line fine`. */
function decoded(...words: number[]): string[] {
  const { events, codes, notes } = decodeEvents(Int32Array.from(words), OPTIONS);
  return [...events].map(({ kind, codeId, line, tstamp }) => {
    const fine = notes.kinds[notes.kind[notes.at.indexOf(Number(tstamp))] ?? -1];
    const text = `${kind} ${codes.get(Number(codeId))?.qualname ?? "?"}:${line}`;
    return fine === undefined ? text : `${text} ${fine}`;
  });
}

test("gives a line to every event", () => {
  expect(decoded(entry(1), statement(2), entry(11), exit(12), exit(2))).toEqual([
    "1 outer:2",
    "3 outer:3",
    "1 inner:10",
    "2 inner:11",
    "2 outer:3",
  ]);
});

test("tells the raising of a thrown error once, however many frames it unwinds", () => {
  expect(decoded(entry(1), entry(11), thrown(13), unwind(13), unwind(2))).toEqual([
    "1 outer:2",
    "1 inner:10",
    "4 inner:12 throw",
    "6 inner:12",
    "6 outer:3",
  ]);
});

test("tells the raising of an error that no statement threw where it is first seen", () => {
  expect(decoded(entry(1), entry(11), unwind(12), caught(3), exit(2))).toEqual([
    "1 outer:2",
    "1 inner:10",
    "4 inner:11 seen",
    "6 inner:11",
    "3 outer:4 catch",
    "2 outer:3",
  ]);
});

test("knows the error again behind calls that a finally block made", () => {
  const words = [entry(1), entry(11), unwind(12), entry(11), exit(12), unwind(2)];
  expect(decoded(...words).filter((text) => text.startsWith("4"))).toEqual(["4 inner:11 seen"]);
});

test("takes a caught error and a later one for two", () => {
  const words = [entry(1), entry(11), unwind(12), caught(3), unwind(2)];
  expect(decoded(...words).filter((text) => text.startsWith("4"))).toEqual([
    "4 inner:11 seen",
    "4 outer:3 seen",
  ]);
});

test("says await and resume for a function that waits", () => {
  expect(decoded(entry(21), suspend(22), resume(22), exit(22))).toEqual([
    "1 waits:20",
    "2 waits:21 await",
    "1 waits:21 resume",
    "2 waits:21",
  ]);
});

test("finds that a function woke up by a rejection, though no probe says so", () => {
  expect(decoded(entry(21), suspend(22), unwind(22))).toEqual([
    "1 waits:20",
    "2 waits:21 await",
    "5 waits:21 resume-throw",
    "6 waits:21",
  ]);
  expect(decoded(entry(21), suspend(22), caught(23), exit(22))).toEqual([
    "1 waits:20",
    "2 waits:21 await",
    "5 waits:21 resume-throw",
    "3 waits:22 catch",
    "2 waits:21",
  ]);
});

test("does not take the error of an async function for one of its caller", () => {
  const words = [entry(1), entry(21), unwind(22), unwind(2)];
  expect(decoded(...words).filter((text) => text.startsWith("4"))).toEqual([
    "4 waits:21 seen",
    "4 outer:3 seen",
  ]);
});

test("gives the functions that were open and those that waited at the end", () => {
  const words = [entry(21), suspend(24), entry(1), statement(2), entry(11)];
  const { open, suspended } = decodeEvents(Int32Array.from(words), OPTIONS);
  expect(open.map(({ code, site }) => [code.qualname, site?.line])).toEqual([
    ["inner", 10],
    ["outer", 3],
  ]);
  expect(suspended).toEqual([{ code: WAITS, site: SITES[24], count: 1 }]);
});

test("copes with a ring that begins in the middle of calls", () => {
  expect(decoded(unwind(12), unwind(2), entry(1), exit(2))).toEqual([
    "4 inner:11 seen",
    "6 inner:11",
    "6 outer:3",
    "1 outer:2",
    "2 outer:3",
  ]);
});

test("numbers events from where it is told, with columns beside them", () => {
  const words = Int32Array.from([entry(1), statement(2), exit(2)]);
  const { events, notes, unresolvedCount } = decodeEvents(words, {
    ...OPTIONS,
    thread: 65_537,
    firstTstamp: 100,
  });
  expect([...events].map(({ tstamp, thread }) => [tstamp, thread])).toEqual([
    [100, 1],
    [101, 1],
    [102, 1],
  ]);
  expect([...notes.columns]).toEqual([0, 0, 5, 0, 5, 0]);
  expect(unresolvedCount).toBe(0);
});

test("keeps events of probes that nobody knows, without a name", () => {
  const { events, codes, unresolvedCount } = decodeEvents(Int32Array.from([entry(99)]), OPTIONS);
  expect([...events]).toEqual([{ kind: 1, thread: 0, line: 0, codeId: 0, tstamp: 0 }]);
  expect(codes.size).toBe(0);
  expect(unresolvedCount).toBe(1);
});

test("makes strictly ascending events of known kinds from any words", () => {
  const anyWord = fastCheck.oneof(
    fastCheck.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    fastCheck
      .tuple(fastCheck.constantFrom(...Object.keys(SITES).map(Number)), fastCheck.nat(15))
      .map(([id, kind]) => id | (kind << 28)),
  );
  fastCheck.assert(
    fastCheck.property(fastCheck.array(anyWord, { maxLength: 200 }), (words) => {
      const { events } = decodeEvents(Int32Array.from(words), OPTIONS);
      const rows = [...events];
      expect(rows.length).toBeGreaterThanOrEqual(words.length);
      expect(rows.length).toBeLessThanOrEqual(words.length * 3);
      expect(rows.map(({ tstamp }) => tstamp)).toEqual(rows.map((_, index) => index));
      expect(rows.every(({ kind }) => kind >= 1 && kind <= 6)).toBe(true);
    }),
  );
});
