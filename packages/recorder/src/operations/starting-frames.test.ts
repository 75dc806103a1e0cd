import { expect, test } from "vitest";
import { beginOperation, type Operation, readWeakValue } from "./operation.ts";
import { StartingFrames } from "./starting-frames.ts";

const ENTRY = 0;
const EXIT = 0x10000000;

function harness(): {
  starting: StartingFrames;
  event(kind: number): void;
  leave(id: number, locals: unknown[]): void;
  head: Int32Array;
} {
  const events = new Int32Array(64);
  const head = new Int32Array(4);
  const starting = new StartingFrames(events, head);
  const event = (kind: number): void => {
    const next = head[0] ?? 0;
    events[next & 63] = kind + 1;
    head[0] = next + 1;
  };
  return {
    starting,
    event,
    head,
    leave(id, locals) {
      event(EXIT);
      if (head[1] !== 0) starting.leave(id, undefined, locals);
    },
  };
}

const ids = (operation: Operation): number[] => operation.frames.map(({ id }) => id);

test("only functions that ran when the operation began leave their frames", () => {
  const { starting, event, leave } = harness();
  event(ENTRY);
  event(ENTRY);
  const operation = beginOperation("fs.readFile", undefined);
  starting.await(operation);
  event(ENTRY);
  leave(3, []);
  leave(2, ["inner"]);
  event(ENTRY);
  leave(4, []);
  leave(1, ["outer"]);
  expect(ids(operation)).toEqual([2, 1]);
  expect(operation.frames[0]?.locals.map(readWeakValue)).toEqual([
    { value: "inner", collected: false },
  ]);
});

test("the flag is down again after the current job", async () => {
  const { starting, head, event, leave } = harness();
  event(ENTRY);
  const operation = beginOperation("setTimeout", undefined);
  starting.await(operation);
  expect(head[1]).toBe(1);
  await Promise.resolve();
  await Promise.resolve();
  expect(head[1]).toBe(0);
  leave(1, []);
  expect(ids(operation)).toEqual([]);
});

test("at most eight frames are kept, and the flag goes down with the last", () => {
  const { starting, event, leave, head } = harness();
  for (let i = 0; i < 20; i++) event(ENTRY);
  const operation = beginOperation("setTimeout", undefined);
  starting.await(operation);
  for (let i = 0; i < 12; i++) leave(i, []);
  expect(ids(operation)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(head[1]).toBe(0);
});

test("the flag goes down after a few hundred events, so that a long computation is not slowed", () => {
  const { starting, event, leave, head } = harness();
  event(ENTRY);
  const operation = beginOperation("setTimeout", undefined);
  starting.await(operation);
  for (let i = 0; i < 1000 && head[1] !== 0; i++) {
    event(ENTRY);
    leave(2, []);
  }
  expect(head[1]).toBe(0);
  expect(ids(operation)).toEqual([]);
});

test("a timer that starts itself again does not grow a chain without end", () => {
  let operation: Operation | undefined;
  for (let i = 0; i < 1000; i++) operation = beginOperation("setTimeout", operation);
  let length = 0;
  for (let at = operation; at !== undefined; at = at.parent) length++;
  expect(length).toBeLessThanOrEqual(8);
});
