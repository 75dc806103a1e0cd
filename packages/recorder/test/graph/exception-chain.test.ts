/** Rows and notes of thrown values: errors, their causes, and things that are no errors. */
import { expect, test } from "vitest";
import { buildExceptionChain, describeThrown } from "../../src/graph/exception-chain.ts";
import { serializeGraph } from "../../src/graph/serialize-graph.ts";

let touched = 0;
const touch = (): never => {
  touched++;
  throw new Error("code of the program ran");
};

class PaymentError extends Error {}

/** As some drivers make them: inherits from Error.prototype without being an error. */
function DbError(this: { message: string }, message: string): void {
  this.message = message;
}
DbError.prototype = Object.create(Error.prototype, { constructor: { value: DbError } });

test.each([
  ["an error", new PaymentError("card refused"), "PaymentError", "card refused"],
  [
    "an error whose code is not in the message",
    Object.assign(new Error("no"), { code: "E_NO" }),
    "Error",
    "no [E_NO]",
  ],
  [
    "an error whose code is in the message",
    Object.assign(new Error("ENOENT: no"), { code: "ENOENT" }),
    "Error",
    "ENOENT: no",
  ],
  ["a driver's error", Reflect.construct(DbError as never, ["dead"]), "DbError", "dead"],
  ["undefined", undefined, "throw undefined", "undefined"],
  ["null", null, "throw null", "null"],
  ["a text", "oops", "throw string", "oops"],
  ["minus zero", -0, "throw number", "-0.0"],
  ["a bigint", 5n, "throw bigint", "5"],
  ["a symbol", Symbol("s"), "throw symbol", "Symbol(s)"],
  ["a function", function f() {}, "throw function", "[function f]"],
  ["an object", { code: 7, text: "x" }, "throw Object", '{ code: 7, text: "x" }'],
  [
    "an instance",
    new (class Thing {
      a = 1;
    })(),
    "throw Thing",
    "Thing { a: 1 }",
  ],
  ["an object with a message", { message: "lost" }, "throw Object", "lost"],
  ["an array", [1, 2], "throw Array", "[…](2)"],
  ["a Proxy", new Proxy({}, { get: touch, getPrototypeOf: touch }), "throw Proxy", "Proxy"],
  [
    "an object without prototype",
    Object.assign(Object.create(null), {
      code: 7,
      [Symbol.for("nodejs.util.inspect.custom")]: touch,
    }),
    "throw NullObject",
    "{ code: 7 }",
  ],
  [
    "an error with hostile accessors",
    Object.defineProperties(new Error("x"), {
      message: { get: touch },
      name: { get: touch },
      stack: { get: touch },
      cause: { get: touch },
    }),
    "Error",
    "",
  ],
])("describes %s", (_name, thrown, type, message) => {
  touched = 0;
  const { rows } = buildExceptionChain(thrown);
  expect(rows).toEqual([{ type, message, relation: "head" }]);
  expect(describeThrown(thrown)).toEqual({ type, message });
  expect(touched).toBe(0);
});

test("follows causes, then the error being handled, then members, and ends on cycles", () => {
  const inner = new RangeError("inner");
  const outer = new TypeError("outer", { cause: inner });
  inner.cause = outer;
  const handling = new Error("handled", { cause: "text" });
  const first = new AggregateError(
    [new Error("a"), outer, new AggregateError([new Error("b")], "more")],
    "all",
    { cause: outer },
  );
  const { rows, values } = buildExceptionChain(first, { handling });
  expect(rows.map((row) => `${row.relation} ${row.type}: ${row.message}`)).toEqual([
    "head AggregateError: all",
    "cause TypeError: outer",
    "cause RangeError: inner",
    "context Error: handled",
    "cause throw string: text",
    "aggregate Error: a",
    "aggregate AggregateError: more",
    "aggregate Error: b",
  ]);
  expect(values).toHaveLength(rows.length);
});

test("lists suppressed errors", () => {
  class SuppressedError extends Error {
    readonly error: unknown;
    readonly suppressed: unknown;
    constructor(error: unknown, suppressed: unknown) {
      super("two");
      this.error = error;
      this.suppressed = suppressed;
    }
  }
  const { rows } = buildExceptionChain(new SuppressedError(new Error("later"), new Error("first")));
  expect(rows.map((row) => row.relation)).toEqual(["head", "cause", "suppressed"]);
});

test("stops at the limit of rows", () => {
  const members = Array.from({ length: 1_000 }, (_, at) => new Error(`m${at}`));
  const { rows } = buildExceptionChain(new AggregateError(members, "many"), { maxErrors: 10 });
  expect(rows).toHaveLength(10);
});

test("notes object id, stacks, system fields and other properties, scrubbed", () => {
  const error = Object.assign(new Error("password=hunter2"), {
    code: "ENOENT",
    errno: -2,
    syscall: "open",
    path: "/x",
    query: "q",
  });
  const graph = serializeGraph([], [error]);
  const { rows, notes } = buildExceptionChain(error, {
    idOf: graph.idOf,
    stacksOf: () => ({ raw: "raw password=hunter2", mapped: "mapped" }),
  });
  expect(rows[0]?.message).toBe("password=<redacted> [ENOENT]");
  expect(notes).toEqual([
    {
      index: 0,
      objectId: 0,
      rawStack: "raw password=<redacted>",
      stack: "mapped",
      code: "ENOENT",
      errno: -2,
      syscall: "open",
      path: "/x",
      properties: ["query"],
    },
  ]);
});
