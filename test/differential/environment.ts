/**
 * What generated programs are given: things that write down how they are used.
 *
 * Everything that a program does with them becomes a line, and the lines of two runs are compared.
 */
import { types } from "node:util";

/** How often a program may turn, call and print before it is led to its end. */
const TURNS = 60;
const OVERTIME = 60;
const MAX_LINES = 400;
const MAX_KEYS = 8;

const { getOwnPropertyDescriptor, prototype: objectPrototype } = Object;
const { ownKeys } = Reflect;
const functionToString = (value: unknown): string => Function.prototype.toString.call(value);

/** One run's lines, and the globals that write them. */
export interface Environment {
  readonly lines: string[];
  readonly globals: Readonly<Record<string, unknown>>;
  /** Writes down the variables that the program gave away for this. */
  finish(): void;
}

/** Describes a value without running any code of the program. */
export function describe(value: unknown, depth = 2): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > 2000 ? `${value.slice(0, 2000)}…` : value);
    case "bigint":
      return `${value}n`;
    case "symbol":
      return String(value);
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "function":
      return describeFunction(value);
    case "object":
      return value === null ? "null" : describeObject(value, depth);
    case "boolean":
    case "undefined":
    default:
      return String(value);
  }
}

function describeFunction(value: object): string {
  if (types.isProxy(value)) return "[proxy of a function]";
  const name: unknown = getOwnPropertyDescriptor(value, "name")?.value;
  const length: unknown = getOwnPropertyDescriptor(value, "length")?.value;
  return `[function ${typeof name === "string" ? name : typeof name}/${String(length)}]`;
}

function describeObject(value: object, depth: number): string {
  if (types.isProxy(value)) return "[proxy]";
  if (value === globalThis) return "[global]";
  if (types.isNativeError(value)) return describeError(value);
  const kind = objectPrototype.toString.call === undefined ? "" : nameOf(value);
  if (depth === 0) return kind;
  const parts: string[] = [];
  for (const key of ownKeys(value).slice(0, MAX_KEYS)) {
    parts.push(`${String(key)}: ${describeProperty(value, key, depth)}`);
  }
  return `${kind}{${parts.join(", ")}}`;
}

function describeProperty(value: object, key: string | symbol, depth: number): string {
  try {
    const property = getOwnPropertyDescriptor(value, key);
    if (property === undefined) return "gone";
    if (property.get !== undefined || property.set !== undefined) return "[accessor]";
    return describe(property.value, depth - 1);
  } catch (error) {
    return `[${describe(error, 0)}]`;
  }
}

function nameOf(value: object): string {
  if (types.isModuleNamespaceObject(value)) return "module";
  if (types.isPromise(value)) return "promise";
  if (types.isGeneratorObject(value)) return "generator";
  if (Array.isArray(value)) return "array";
  return Object.getPrototypeOf(value) === null ? "bare" : "object";
}

/** An error with what can be seen of it; its stack without the lines of the harness. */
export function describeError(error: Error): string {
  const own = (key: string): unknown => getOwnPropertyDescriptor(error, key)?.value;
  const stack: unknown = error.stack;
  const lines = typeof stack === "string" ? stack.split("\n") : [];
  const frames = lines.filter((line) => /\/p\/(?:main|other)\./.test(line));
  const head = (lines[0] ?? "").startsWith("    at ") ? "" : (lines[0] ?? "");
  const cause = "cause" in error ? ` cause ${describe(own("cause"), 0)}` : "";
  return `[${head} | ${describe(own("message"), 0)}${cause}${frames.map((line) => ` |${line.slice(6)}`).join("")}]`;
}

/** Makes the globals of one run. */
export function createEnvironment(): Environment {
  const lines: string[] = [];
  let turns = TURNS;
  let readers: Record<string, () => unknown> = {};
  const write = (line: string): void => {
    if (lines.length < MAX_LINES) lines.push(line);
  };
  const print = (...values: unknown[]): void => {
    write(values.map((value) => describe(value)).join(" "));
  };
  const ok = (): boolean => {
    if (--turns < -OVERTIME) throw new RangeError("out of turns");
    return turns > 0;
  };

  class Oops extends Error {
    override name = "Oops";
  }
  class Base {
    x = 1;
    constructor(...values: unknown[]) {
      write(`Base ${values.length}`);
    }
    get y(): unknown {
      write("get Base.y");
      return this.x;
    }
    set y(value: unknown) {
      write(`set Base.y ${describe(value, 0)}`);
    }
    p(): string {
      return "p";
    }
    static q(): string {
      return "q";
    }
  }

  const iterate = (values: unknown[]): Iterator<unknown> & Iterable<unknown> => {
    let index = 0;
    return {
      next() {
        ok();
        write(`next ${index}`);
        return index < values.length
          ? { value: values[index++], done: false }
          : { value: "end", done: true };
      },
      return(value?: unknown) {
        write(`return ${describe(value, 0)}`);
        return { value, done: true };
      },
      throw(error: unknown) {
        write("throw");
        throw error;
      },
      [Symbol.iterator]() {
        return this;
      },
    };
  };
  const it = (...values: unknown[]): Iterable<unknown> => ({
    [Symbol.iterator]() {
      write("iterator");
      return iterate(values);
    },
  });
  const ait = (...values: unknown[]): unknown => ({
    [Symbol.asyncIterator]() {
      write("async iterator");
      const inner = iterate(values);
      return {
        async next() {
          return inner.next();
        },
        async return(value: unknown) {
          return inner.return?.(value);
        },
      };
    },
  });

  const px = (target: unknown): unknown => {
    const own = typeof target === "object" && target !== null ? target : undefined;
    const inner = typeof target === "function" ? target : (own ?? {});
    const handler: ProxyHandler<object> = {};
    for (const trap of TRAPS) {
      Object.defineProperty(handler, trap, {
        value: (...values: unknown[]) => {
          const key =
            typeof values[1] === "string" || typeof values[1] === "symbol" ? values[1] : "";
          write(`${trap} ${String(key)}`);
          return Reflect.apply(Reflect[trap], Reflect, values) as unknown;
        },
      });
    }
    return new Proxy(inner, handler);
  };

  const ob = {
    get x() {
      write("get x");
      return 1;
    },
    set x(value: unknown) {
      write(`set x ${describe(value, 0)}`);
    },
    get y() {
      write("get y");
      return { x: 2, y: [3] };
    },
    k: 5 as unknown,
    p(...values: unknown[]) {
      write(`p ${values.map((value) => describe(value, 0)).join()}`);
      return values[0];
    },
    get q(): unknown {
      throw new Oops("q");
    },
    [Symbol.toPrimitive](hint: string) {
      write(`to ${hint}`);
      return hint === "number" ? 7 : "ob";
    },
  };

  const disposable = (name: string, fails: unknown): Record<symbol, () => unknown> => {
    // The call of a disposal has no place of its own (known-limits.ts), so its error is made here.
    const error = new Oops(`dispose ${name}`);
    return {
      [Symbol.dispose]() {
        write(`dispose ${name}`);
        if (fails !== undefined) throw error;
      },
    };
  };
  const globals = {
    print,
    ok,
    it,
    ait,
    px,
    ob,
    Oops,
    Base,
    id: (value: unknown) => value,
    oops: (value: unknown) => {
      throw new Oops(describe(value, 0));
    },
    src: (value: unknown) => {
      write(typeof value === "function" ? functionToString(value) : describe(value, 0));
      return value;
    },
    name: (value: unknown) => {
      write(describe(value, 0));
      return value;
    },
    tag: (strings: readonly string[] & { raw?: readonly string[] }, ...values: unknown[]) => {
      write(`tag ${JSON.stringify(strings)} ${JSON.stringify(strings.raw)} ${values.length}`);
      return values[0];
    },
    dis: disposable,
    adis: (name: string) => ({
      async [Symbol.asyncDispose]() {
        write(`async dispose ${name}`);
      },
    }),
    watch: (value: unknown) => {
      if (types.isPromise(value)) {
        value.then(
          (result: unknown) => {
            print("settled", result);
          },
          (error: unknown) => {
            print("rejected", error);
          },
        );
      } else print("not a promise", value);
      return value;
    },
    drain: (iterator: Iterator<unknown>) => {
      for (let index = 0; index < 5; index++) print("drained", iterator.next(index));
    },
    adrain: async (iterator: AsyncIterator<unknown>) => {
      for (let index = 0; index < 5; index++) {
        try {
          print("drained", await iterator.next(index));
        } catch (error) {
          print("failed", error);
        }
      }
    },
    final: (own: Record<string, () => unknown> | undefined) => {
      readers = own ?? {};
    },
  };
  return {
    lines,
    globals,
    finish() {
      turns = -OVERTIME + 1;
      for (const key of Object.keys(readers)) {
        try {
          print("final", key, readers[key]?.());
        } catch (error) {
          print("final", key, error);
        }
      }
    },
  };
}

const TRAPS = [
  "get",
  "set",
  "has",
  "deleteProperty",
  "apply",
  "construct",
  "defineProperty",
  "getOwnPropertyDescriptor",
  "ownKeys",
  "getPrototypeOf",
] as const;
