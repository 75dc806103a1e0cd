/**
 * Builds hostile object graphs from small recipes, together with what a capture must show of them.
 *
 * The expectation comes from the recipe, not from looking at the objects.
 */

/** One object to make; links are indexes of objects, so that cycles and aliases are ordinary. */
export interface Ingredient {
  readonly kind: (typeof KINDS)[number];
  readonly links: readonly number[];
  readonly scalar: number;
  readonly secret: boolean;
}

export const KINDS = [
  "object",
  "null-object",
  "array",
  "holes",
  "map",
  "set",
  "private",
  "subclass",
  "accessors",
  "proxy",
  "floats",
  "bytes",
  "date",
  "regexp",
  "error",
  "promise",
  "rejected",
  "function",
  "symbol",
  "boxed",
  "evil-class",
] as const;

/** What the node of an object must say. */
export interface Expected {
  readonly kind: string;
  readonly typeName?: string | null;
  readonly repr?: string;
  readonly length?: number | null;
  /** Items in order: the key, and the index of an object or a text of its own. */
  readonly items: readonly (readonly [
    key: string | null,
    to: number | { readonly repr: string },
  ])[];
}

export interface Meal {
  readonly values: unknown[];
  readonly expected: Expected[];
  readonly secrets: readonly string[];
  /** How often code of the "program" ran. */
  readonly touched: () => number;
}

const text = (repr: string): { readonly repr: string } => ({ repr });
const HIDDEN = text("<redacted>");

/** Makes the objects of a recipe and links them. */
export function cook(recipe: readonly Ingredient[]): Meal {
  let touches = 0;
  const touch = (): never => {
    touches++;
    throw new Error("code of the program ran");
  };
  const trapped = new Proxy({}, { get: () => touch });
  class Holder {
    #first: unknown;
    count = 1;
    constructor(first: unknown) {
      this.#first = first;
    }
    set first(value: unknown) {
      this.#first = value;
    }
    get first(): unknown {
      touches++;
      return this.#first;
    }
    toString(): string {
      return touch();
    }
    toJSON(): string {
      return touch();
    }
    get [Symbol.toStringTag](): string {
      return touch();
    }
    get then(): unknown {
      return touch();
    }
    [Symbol.iterator](): Iterator<unknown> {
      return touch();
    }
    [Symbol.toPrimitive](): string {
      return touch();
    }
    [Symbol.for("nodejs.util.inspect.custom")](): string {
      return touch();
    }
    static [Symbol.hasInstance](): boolean {
      return touch();
    }
  }
  class List extends Array<unknown> {
    override map(): never {
      return touch();
    }
    get [Symbol.toStringTag](): string {
      return touch();
    }
    static override get [Symbol.species](): ArrayConstructor {
      return touch();
    }
  }
  class Evil {
    static get name(): string {
      return touch();
    }
  }
  const values: unknown[] = [];
  const expected: Expected[] = [];
  const secrets: string[] = [];
  const link: (() => void)[] = [];
  recipe.forEach((ingredient, index) => {
    const targets = ingredient.links.map((to) => to % recipe.length);
    const at = (which: number): unknown => values[targets[which] ?? index];
    const to = (which: number): number => targets[which] ?? index;
    const secret = `s3cret/${index}.${ingredient.scalar}!`;
    if (ingredient.secret) secrets.push(secret);
    const { scalar } = ingredient;
    switch (ingredient.kind) {
      case "object":
      case "null-object": {
        const made = (ingredient.kind === "object" ? {} : Object.create(null)) as Record<
          string,
          unknown
        >;
        values.push(made);
        const items: Expected["items"][number][] = targets.map((target, which) => [
          `k${which}`,
          target,
        ]);
        items.push(["n", text(String(scalar))]);
        if (ingredient.secret)
          items.push(["dbPassword", HIDDEN], ["copy", text("see <redacted> there")]);
        expected.push({
          kind: "dict",
          typeName: ingredient.kind === "object" ? null : "NullObject",
          length: items.length,
          items,
        });
        link.push(() => {
          targets.forEach((target, which) => (made[`k${which}`] = values[target]));
          made["n"] = scalar;
          if (ingredient.secret)
            Object.assign(made, { dbPassword: secret, copy: `see ${secret} there` });
        });
        break;
      }
      case "array":
      case "subclass": {
        const made = ingredient.kind === "array" ? [] : new List();
        values.push(made);
        expected.push({
          kind: "list",
          typeName: ingredient.kind === "array" ? null : "List",
          length: targets.length,
          items: targets.map((target) => [null, target]),
        });
        link.push(() => targets.forEach((target, which) => (made[which] = values[target])));
        break;
      }
      case "holes": {
        const made: unknown[] = [];
        made.length = 3;
        values.push(made);
        expected.push({
          kind: "list",
          length: 3,
          items: [
            [null, text("<empty>")],
            [null, to(0)],
            [null, text("<empty>")],
          ],
        });
        link.push(() => (made[1] = at(0)));
        break;
      }
      case "map": {
        const made = new Map<unknown, unknown>();
        values.push(made);
        expected.push({
          kind: "dict",
          typeName: "Map",
          length: 3,
          items: [
            ["1", text("-0.0")],
            ["1", to(0)],
            ["x-api-key", HIDDEN],
          ],
        });
        link.push(() => made.set("1", -0).set(1, at(0)).set("x-api-key", secret));
        secrets.push(secret);
        break;
      }
      case "set": {
        const made = new Set<unknown>();
        values.push(made);
        expected.push({
          kind: "set",
          typeName: null,
          length: 2,
          items: [
            [null, to(0)],
            [null, text("1")],
          ],
        });
        link.push(() => made.add(at(0)).add("1"));
        break;
      }
      case "private": {
        const made = new Holder(undefined);
        values.push(made);
        expected.push({
          kind: "object",
          typeName: "Holder",
          repr: "Holder {…}",
          length: 2,
          items: [
            ["count", text("1")],
            ["#first", to(0)],
          ],
        });
        link.push(() => (made.first = at(0)));
        break;
      }
      case "accessors": {
        const made = {
          get a() {
            return touch();
          },
          set b(value: unknown) {
            touches++;
            void value;
          },
          get c() {
            return touch();
          },
          set c(value: unknown) {
            touches++;
            void value;
          },
        };
        Object.defineProperty(made, "stack", { get: touch, enumerable: true });
        values.push(made);
        expected.push({
          kind: "dict",
          items: [
            ["a", text("[Getter]")],
            ["b", text("[Setter]")],
            ["c", text("[Getter/Setter]")],
            ["stack", text("[Getter]")],
          ],
        });
        break;
      }
      case "proxy": {
        // Its own target and a handler whose every trap would be noticed.
        const target = { n: scalar };
        values.push(new Proxy(target, trapped));
        expected.push({
          kind: "object",
          typeName: "Proxy",
          repr: "Proxy",
          items: [
            ["[[Target]]", text("{}")],
            ["[[Handler]]", text("Proxy")],
          ],
        });
        break;
      }
      case "floats":
        values.push(new Float32Array([scalar, Number.NaN]));
        expected.push({
          kind: "ndarray",
          typeName: "Float32Array",
          repr: "Float32Array(2)",
          length: 2,
          items: [
            ["shape", text("[]")],
            ["dtype", text("float32")],
            ["head", text("[]")],
            ["nan_count", text("1")],
          ],
        });
        break;
      case "bytes":
        values.push(Buffer.from(ingredient.secret ? `password=${secret}` : "plain"));
        expected.push({
          kind: "bytes",
          typeName: "Buffer",
          repr: ingredient.secret ? "b'password=<redacted>'" : "b'plain'",
          items: [],
        });
        break;
      case "date":
        values.push(
          Object.assign(new Date(Number.NaN), {
            toISOString: touch,
            getTime: touch,
            valueOf: touch,
          }),
        );
        expected.push({
          kind: "object",
          typeName: "Date",
          repr: "Invalid Date",
          items: [["ms", text("nan")]],
        });
        break;
      case "regexp": {
        const made = /a\/b/giu;
        Object.defineProperty(made, "flags", { get: touch });
        Object.defineProperty(made, "source", { get: touch });
        values.push(made);
        expected.push({
          kind: "object",
          typeName: "RegExp",
          repr: String.raw`/a\/b/giu`,
          items: [["lastIndex", text("0")]],
        });
        break;
      }
      case "error": {
        const made = new RangeError(ingredient.secret ? `token: ${secret}` : "bad");
        Object.defineProperty(made, "stack", { get: touch });
        values.push(made);
        expected.push({
          kind: "object",
          typeName: "RangeError",
          repr: ingredient.secret ? "RangeError: token: <redacted>" : "RangeError: bad",
          items: [
            ["message", text(ingredient.secret ? "token: <redacted>" : "bad")],
            ["cause", to(0)],
          ],
        });
        link.push(() => Object.defineProperty(made, "cause", { value: at(0) }));
        break;
      }
      case "promise":
      case "rejected": {
        // The value is a fresh array: adopting an object would read its `then`.
        const inside: unknown[] = [];
        const isRejected = ingredient.kind === "rejected";
        const made = isRejected ? Promise.reject(inside) : Promise.resolve(inside);
        if (isRejected) made.catch(() => undefined);
        values.push(made);
        expected.push({
          kind: "object",
          typeName: "Promise",
          repr: isRejected ? "Promise <rejected>" : "Promise <fulfilled>",
          items: [[isRejected ? "reason" : "value", text("[]")]],
        });
        break;
      }
      case "function": {
        const made = function named(): number {
          return index;
        };
        Object.defineProperty(made, "toString", { get: touch });
        values.push(made);
        expected.push({
          kind: "object",
          typeName: "Function",
          repr: "[function named]",
          items: [],
        });
        break;
      }
      case "symbol":
        values.push(Symbol(ingredient.secret ? `password=${secret}` : `s${scalar}`));
        expected.push({
          kind: "object",
          typeName: "symbol",
          repr: ingredient.secret ? "Symbol(password=<redacted>)" : `Symbol(s${scalar})`,
          items: [],
        });
        break;
      case "boxed":
        values.push(Object.assign(new String("boxed"), { toString: touch, valueOf: touch }));
        expected.push({ kind: "str", typeName: "String", repr: "boxed", length: 5, items: [] });
        break;
      case "evil-class":
        values.push(new Evil());
        expected.push({
          kind: "object",
          typeName: "<anonymous>",
          repr: "<anonymous> {}",
          items: [],
        });
        break;
    }
  });
  for (const join of link) join();
  touches = 0;
  return { values, expected, secrets, touched: () => touches };
}
