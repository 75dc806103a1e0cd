/**
 * The value log gives back what was noted, keeps nothing alive, and never grows.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ObjectIdentities } from "../../src/writes/identity-table.ts";
import { createWriteApi, type WriteApi } from "../../src/writes/note-writes.ts";
import { MAX_TEXT_UNITS, VALUE, ValueLog } from "../../src/writes/value-log.ts";

interface Opened {
  readonly log: ValueLog;
  readonly identities: ObjectIdentities;
  readonly api: WriteApi;
}

function open(capacity: number, onFull?: (log: ValueLog) => void): Opened {
  const identities = new ObjectIdentities();
  const log = new ValueLog({ capacity, ...(onFull === undefined ? {} : { onFull }) });
  const watched = { isActive: false, has: () => false, adopt: () => undefined };
  const api = createWriteApi({ log, identities, head: new Int32Array(2), watched });
  return { log, identities, api };
}

/** What the log says about slot `at`, comparable with `expected`. */
function read({ log, identities }: Opened, at: number): unknown {
  const value = log.values[at] ?? 0;
  const size = log.sizes[at] ?? 0;
  switch (log.kinds[at]) {
    case VALUE.undefined:
      return undefined;
    case VALUE.null:
      return null;
    case VALUE.false:
      return false;
    case VALUE.true:
      return true;
    case VALUE.number:
      return value;
    case VALUE.string:
      return log.text(value, size);
    case VALUE.bigint:
      return BigInt(log.text(value, size) ?? "");
    case VALUE.object:
      return { type: identities.typeOf(value).name, size };
    default:
      return `kind ${log.kinds[at]}`;
  }
}

function expected(value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, MAX_TEXT_UNITS);
  if (Array.isArray(value)) return { type: "Array", size: value.length };
  if (value instanceof Map) return { type: "Map", size: value.size };
  if (typeof value === "object" && value !== null) return { type: "Object", size: -1 };
  return value;
}

const values = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.bigInt(),
  fc.constantFrom<unknown>(undefined, null, true, false, -0, Number.NaN),
  fc.array(fc.integer()),
  fc.constant({}),
  fc.array(fc.tuple(fc.string(), fc.integer())).map((entries) => new Map(entries)),
);

test("gives back every value that was noted", () => {
  fc.assert(
    fc.property(fc.array(values, { maxLength: 60 }), (list) => {
      const opened = open(64);
      list.forEach((value, index) => {
        expect(opened.api.write(index + 1, index * 2, value)).toBe(value);
      });
      expect(list.map((_, at) => read(opened, at))).toEqual(list.map(expected));
      expect(Array.from(opened.log.sites.subarray(0, list.length))).toEqual(
        list.map((_, at) => at + 1),
      );
      expect(Array.from(opened.log.frames.subarray(0, list.length))).toEqual(
        list.map((_, at) => at * 2),
      );
    }),
  );
});

test("keeps the last writes when it is full", () => {
  const short = fc.oneof(fc.integer(), fc.string({ maxLength: 10 }), fc.constant({}));
  fc.assert(
    fc.property(fc.array(short, { minLength: 17, maxLength: 100 }), (list) => {
      const opened = open(16);
      for (const value of list) opened.api.write(1, 1, value);
      const { log } = opened;
      expect({ total: log.total, oldest: log.oldest }).toEqual({
        total: list.length,
        oldest: list.length - 16,
      });
      const kept = list.slice(-16).map((_, index) => read(opened, (log.oldest + index) % 16));
      expect(kept).toEqual(list.slice(-16).map(expected));
    }),
  );
});

test("hands everything over, for those who want all of it", () => {
  const all: number[] = [];
  const take = (log: ValueLog, count: number): void => {
    for (let at = 0; at < count; at++) all.push(log.values[at] ?? Number.NaN);
  };
  const opened = open(16, (log) => take(log, log.capacity));
  for (let value = 0; value < 100; value++) opened.api.write(1, 1, value);
  take(opened.log, opened.log.cursor[0] ?? 0);
  expect(all).toEqual(Array.from({ length: 100 }, (_, value) => value));
});

test("one object keeps its number, whoever looks at it and whatever it is", () => {
  const identities = new ObjectIdentities();
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error("looked at");
      },
      getPrototypeOf() {
        throw new Error("looked at");
      },
      getOwnPropertyDescriptor() {
        throw new Error("looked at");
      },
    },
  );
  const objects = [
    {},
    [],
    () => 1,
    Object.freeze({}),
    hostile,
    Object.create(null) as object,
    new Map(),
    /x/,
  ];
  const numbers = objects.map((value) => identities.of(value));
  expect(new Set(numbers).size).toBe(objects.length);
  expect(objects.map((value) => identities.of(value))).toEqual(numbers);
  expect(objects.map((value) => identities.known(value))).toEqual(numbers);
  expect(identities.known({})).toBe(0);
  expect(Reflect.ownKeys(objects[0] ?? {})).toEqual([]);
});

test.each<
  [
    name: string,
    make: () => [owner: unknown, method: number, result: unknown, key?: unknown],
    notes: string[],
  ]
>([
  [
    "push",
    () => {
      const list = [1];
      return [list, 0 + 32 + 512, list.push(5), 5];
    },
    ["1=5"],
  ],
  [
    "push of several",
    () => {
      const list = [1];
      return [list, 0 + 64, list.push(5, 6)];
    },
    ["1=5", "2=6"],
  ],
  [
    "pop",
    () => {
      const list = [1, 2];
      return [list, 1, list.pop()];
    },
    ["1 deleted"],
  ],
  [
    "shift",
    () => {
      const list = [1, 2];
      return [list, 2, list.shift()];
    },
    ["0 deleted"],
  ],
  [
    "splice",
    () => {
      const list = [1, 2, 3];
      return [list, 4 + 96 + 512, list.splice(-2, 2, 9), -2];
    },
    ["2 deleted", "1=9"],
  ],
  [
    "a method of its own",
    () => {
      const list = Object.assign([1], { push: () => 7 });
      return [list, 0 + 32 + 512, list.push(), 5];
    },
    [],
  ],
  [
    "Map.set",
    () => {
      const map = new Map();
      return [map, 9 + 64 + 512, map.set("k", 1), "k"];
    },
    ["k=1"],
  ],
  [
    "Set.add",
    () => {
      const set = new Set();
      return [set, 10 + 32 + 512, set.add("k"), "k"];
    },
    ["k=k"],
  ],
  [
    "a vain delete",
    () => {
      const map = new Map();
      return [map, 11 + 32 + 512, map.delete("k"), "k"];
    },
    [],
  ],
  [
    "clear",
    () => {
      const map = new Map([[1, 2]]);
      return [map, 12, map.clear()];
    },
    ["? deleted"],
  ],
  ["set of something else", () => [{ set() {} }, 9 + 64 + 512, 1, "k"], []],
])("notes what %s changes", (_, make, notes) => {
  const opened = open(16);
  const [owner, method, result, key] = make();
  expect(opened.api.change(1, 1, method, owner, result, key)).toBe(result);
  const { log } = opened;
  const found = Array.from({ length: log.total }, (__, at) => {
    const kind = log.keyKinds[at];
    const own =
      kind === VALUE.number
        ? log.keys[at]
        : kind === VALUE.string
          ? log.text(log.keys[at] ?? 0, log.keySizes[at] ?? 0)
          : "?";
    return log.kinds[at] === VALUE.deleted
      ? `${own} deleted`
      : `${own}=${String(read(opened, at))}`;
  });
  expect(found).toEqual(notes);
});

test("a rope that grows is not made flat at every write", () => {
  const opened = open(1024);
  let text = "";
  const startedMs = performance.now();
  for (let turn = 0; turn < 200_000; turn++) {
    text += "0123456789";
    opened.api.write(1, 1, text);
  }
  // Each look at the whole rope would copy up to 2 MB: 200 GB in all.
  expect(performance.now() - startedMs).toBeLessThan(5000);
  expect(text.length).toBe(2_000_000);
});
