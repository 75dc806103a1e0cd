/** Descriptions by the program: inheritance, opt-in methods, and adapters that misbehave. */
import { afterEach, expect, test } from "vitest";
import { adapter } from "../../src/graph/adapters.ts";
import { serializeGraph } from "../../src/graph/serialize-graph.ts";
import type { GraphNode, GraphResult } from "../../src/graph/serialize-graph.ts";

class Money {
  readonly cents: number;
  readonly secretToken = "tok-123456";
  constructor(cents: number) {
    this.cents = cents;
  }
}
class Price extends Money {}

const undo: (() => void)[] = [];
afterEach(() => {
  for (const remove of undo.splice(0)) remove();
});

function capture(value: unknown): { node: GraphNode; result: GraphResult } {
  const result = serializeGraph([{ locals: [{ name: "value", value }] }]);
  const node = result.nodes[result.frames[0]?.[0]?.id ?? -1];
  if (node === undefined) throw new Error("no node");
  return { node, result };
}

test("describes a class and its subclasses; the newest registration wins", () => {
  undo.push(adapter(Money, () => ({ summary: "older" })));
  undo.push(
    adapter(Money, (money) => ({
      kind: "money",
      summary: `${(money as Money).cents / 100} EUR, password=x1`,
      fields: { cents: (money as Money).cents, apiKey: "key-123456" },
    })),
  );
  const { node, result } = capture(new Price(250));
  expect(node).toMatchObject({
    kind: "money",
    repr: "2.5 EUR, password=<redacted>",
    typeName: "Price",
    length: 2,
  });
  expect(node.items.map(({ key, id }) => [key, result.nodes[id]?.repr])).toEqual([
    ["cents", "250"],
    ["apiKey", "<redacted>"],
  ]);
});

test("describes by predicate, and stops after the undo", () => {
  const remove = adapter(
    (value) => value instanceof Price,
    () => ({ summary: "by predicate" }),
  );
  expect(capture(new Price(1)).node.repr).toBe("by predicate");
  remove();
  expect(capture(new Price(1)).node.repr).toBe("Price {…}");
});

test("asks the opt-in method of a class, also an inherited one", () => {
  class Secretive {
    [Symbol.for("orangebox.describe")](): unknown {
      return { summary: "described", fields: [["n", 1]] };
    }
  }
  class Child extends Secretive {}
  expect(capture(new Child()).node).toMatchObject({
    repr: "described",
    typeName: "Child",
    length: 1,
  });
});

test.each([
  [
    "throws",
    (): never => {
      throw new Error("bug");
    },
    "threw",
  ],
  ["returns a number", () => 5, "returned no description"],
  [
    "returns a Proxy",
    () =>
      new Proxy(
        {},
        {
          get: () => {
            throw new Error("trap");
          },
        },
      ),
    "returned no description",
  ],
  ["returns junk fields", () => ({ summary: "x", fields: [1] }), "returned no description"],
  ["returns a promise", () => Promise.resolve({ summary: "x" }), "returned no description"],
])("drops an adapter that %s, once, with a note", (_name, describe, why) => {
  let calls = 0;
  undo.push(
    adapter(Money, () => {
      calls++;
      return describe();
    }),
  );
  const { node, result } = capture([new Money(1), new Money(2)]);
  expect(result.nodes[node.items[0]?.id ?? -1]?.repr).toBe("Money {…}");
  expect(calls).toBe(1);
  expect(result.notes).toEqual([`adapter for Money was dropped: it ${why}`]);
});

test("drops an adapter that takes long", () => {
  let clock = 0;
  undo.push(
    adapter(Money, () => {
      clock += 100;
      return { summary: "slow" };
    }),
  );
  const value = [new Money(1), new Money(2)];
  const result = serializeGraph([{ locals: [{ name: "value", value }] }], [], { now: () => clock });
  expect(result.nodes.map((node) => node.repr)).toEqual(
    expect.arrayContaining(["slow", "Money {…}"]),
  );
  expect(result.notes).toEqual(["adapter for Money was dropped: it took too long"]);
});

test("refuses what is no class and no function", () => {
  expect(() => adapter({} as never, () => undefined)).toThrow(TypeError);
});
