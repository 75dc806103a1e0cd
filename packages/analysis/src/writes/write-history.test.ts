import { openRecording } from "@orangebox/format";
import { expect, test } from "vitest";

import { buildRecording } from "../../test/build-recording.ts";
import { wrongExtensions } from "../../test/hostile-recording.ts";
import { writesRecording } from "../../test/writes-recording.ts";
import { WriteHistory, writeTarget, type WriteView } from "./write-history.ts";

function historyOf(bytes: Uint8Array): WriteHistory {
  return new WriteHistory(openRecording(bytes));
}

const history = historyOf(writesRecording());

function seqs(views: Iterable<WriteView>): number[] {
  return Array.from(views, ({ seq }) => seq);
}

test.each([
  ["everything", {}, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ["a variable", { variable: "local" }, [1, 3, 4, 5]],
  ["an owner, under its other name too", { owner: "cache" }, [7, 8]],
  ["an owner by its text", { owner: "order" }, [9]],
  ["an object of the table", { objectId: 0 }, [7, 8]],
  ["an object that is not in it", { objectId: 3 }, []],
  ["a stretch", { since: 2, until: 4 }, [2, 3, 4]],
  ["a stretch beyond the end", { since: 8, until: 80 }, [8, 9]],
  ["a variable in a stretch", { variable: "local", since: 4 }, [4, 5]],
])("finds %s", (_, filter, expected) => {
  expect(seqs(history.find(filter))).toEqual(expected);
});

function shown(seq: number): string[] {
  return history
    .stateAt(seq)
    .map(
      ({ frame, qualname, variables }) =>
        `${qualname} #${frame}: ${Array.from(variables, ([name, { value }]) => `${name}=${value.repr}`).join()}`,
    );
}

test("tells the variables of each activation after a write", () => {
  expect(shown(0)).toEqual(["down #1: depth=1"]);
  expect(shown(3)).toEqual(["down #2: depth=0,local=0", "down #1: depth=1,local=10"]);
  expect(shown(5)).toEqual(["down #1: depth=1,local=11", "down #2: depth=0,local=5"]);
});

test("gives place, operator, what was before, and which object it is", () => {
  expect(history.at(8)).toMatchObject({
    kind: "item",
    operator: "delete",
    isDeleted: true,
    before: 7,
    owner: { number: 7, id: 0 },
    range: { line: 9, column: 3, endLine: 9, endColumn: 9 },
  });
  expect(history.at(6)).toMatchObject({ object: { number: 7, id: 0 }, owner: undefined });
  expect(history.at(10)).toBeUndefined();
  expect(history.dropped).toEqual({ count: 4, log: 1, limit: 3, deadline: 0 });
  expect(history.variables()).toEqual(["depth", "local", "cache"]);
  expect(Array.from(history.find({ since: 7 }), writeTarget)).toEqual([
    "cache[17]",
    "this.store[17]",
    "order.price",
  ]);
});

test("answers for recordings without writes, and without details", () => {
  expect(historyOf(buildRecording({})).count).toBe(0);
  expect(historyOf(wrongExtensions()).dropped.count).toBe(0);
  const plain = historyOf(
    buildRecording({
      mutations: [
        {
          seq: 0,
          kind: "item",
          name: "cache",
          key: "5",
          value: { kind: "int", repr: "5", typeName: null, length: null },
          file: "a.js",
          qualname: "main",
          line: 10,
          frame: 1,
        },
      ],
      extensions: { "node.mutations": { operator: new Uint8Array(1), places: "no", objects: [1] } },
    }),
  );
  expect(plain.at(0)).toMatchObject({ operator: undefined, range: undefined, owner: undefined });
  expect(seqs(plain.find({ owner: "cache" }))).toEqual([0]);
});
