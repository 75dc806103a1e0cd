/* oxlint-disable typescript/no-unsafe-type-assertion, typescript/unbound-method, typescript/no-unnecessary-template-expression -- Values of the program are taken as they come, as the helpers in JavaScript do. */
/**
 * What compiled decorators call while a program runs: the global `__obDecorate`.
 *
 * Standard decorators (lower-decorators.ts writes the calls) and those of `experimentalDecorators`
 * (oxc-transform writes them). The order of calls, the contexts and the messages are those of the
 * helpers that TypeScript emits; built-ins are copied before the program can change them.
 */

type AnyFunction = (this: unknown, ...rest: unknown[]) => unknown;
type Key = string | symbol;

/** Flags of an element. */
const STATIC = 1;
const PRIVATE = 2;

/** What `access` of a context is made of, for private names. */
interface PrivateAccess {
  has?: (target: unknown) => boolean;
  get?: (target: unknown) => unknown;
  set?: (target: unknown, value: unknown) => void;
}

/** An element with decorators: its number, kind, name and flags; for private ones more. */
export type ElementNote = readonly [
  index: number,
  kind: "method" | "getter" | "setter" | "field" | "accessor",
  name: Key | number,
  flags: number,
  access?: PrivateAccess,
  own?: PropertyDescriptor,
];

interface Context {
  kind: string;
  name: unknown;
  static?: boolean;
  private?: boolean;
  access?: object;
  metadata: object | undefined;
  addInitializer?: (initializer: unknown) => void;
}

const { apply, getPrototypeOf, ownKeys } = Reflect;
const { isArray } = Array;
const [NumberType, StringType, ObjectType] = [Number, String, Object];
const { create, defineProperty, getOwnPropertyDescriptor } = Object;
const { unshift } = Array.prototype;
const { bind } = Function.prototype;

/** The numbers that stand for the initializers of methods and of the class. */
const INSTANCE = -1;
const STATICS = -2;
const CLASS = -3;

/** The decorators of one class, each time that it is evaluated. */
class Decoration {
  /** `this` around the class. */
  readonly o: unknown;
  /** The class; what a decorator put in its place. */
  t: unknown = undefined;
  /** Values of static accessors, by number. */
  readonly x: unknown[] = [];
  #decorators: readonly unknown[] = [];
  #original: unknown = undefined;
  #receiver: unknown = undefined;
  readonly #elements: unknown[][] = [];
  readonly #keys: Key[] = [];
  readonly #own: (PropertyDescriptor | undefined)[] = [];
  readonly #initializers: AnyFunction[][] = [];
  readonly #extra = new Map<number, AnyFunction[]>();
  #metadata: object | undefined;

  constructor(outer: unknown) {
    this.o = outer;
  }

  /** Keeps the decorators of the class. */
  e(decorators: readonly unknown[]): void {
    this.#decorators = decorators;
  }

  /** Keeps the object that a decorator is a member of; `m` makes it the decorator's `this`. */
  w(receiver: unknown): unknown {
    this.#receiver = receiver;
    return receiver;
  }
  m(decorator: unknown): unknown {
    const receiver = this.#receiver;
    this.#receiver = undefined;
    return typeof decorator === "function" ? apply(bind, decorator, [receiver]) : decorator;
  }

  /** Where static private members are: in the class as it was written. */
  u(object: unknown): unknown {
    return object === this.t ? this.#original : object;
  }

  /** Keeps the decorators of an element. */
  d(index: number, decorators: unknown[]): void {
    this.#elements[index] = decorators;
  }

  /** The computed key of an element; asked for again without a value. */
  k(index: number, ...given: unknown[]): Key {
    if (given.length > 0) this.#keys[index] = toKey(given[0]);
    return this.#keys[index] ?? "";
  }

  /** Begins with the class itself. @param name [what a class without a name is called] */
  b(target: object, name?: string): void {
    this.t = target;
    this.#original = target;
    if (name !== undefined) defineProperty(target, "name", { configurable: true, value: name });
    const symbol = metadataSymbol();
    if (symbol === undefined) return;
    const parent = getPrototypeOf(target) as Record<symbol, object | undefined> | null;
    this.#metadata = create(parent?.[symbol] ?? null) as object;
  }

  /** What `super` is in a private element. */
  h(isStatic: boolean): object | null {
    const constructor = this.t as { prototype: object };
    return getPrototypeOf(isStatic ? constructor : constructor.prototype);
  }

  /** Ends a class that has decorators at elements only. */
  z(): void {
    this.#defineMetadata(this.t);
  }

  /** Applies the decorators of an element. */
  a([index, kind, given, flags, privateAccess, own]: ElementNote): void {
    const isStatic = (flags & STATIC) !== 0;
    const isPrivate = (flags & PRIVATE) !== 0;
    const name = typeof given === "number" ? `${given}` : given;
    const constructor = this.t as { prototype: object };
    const isField = kind === "field";
    const target =
      isField || isPrivate ? undefined : isStatic ? constructor : constructor.prototype;
    const descriptor =
      own ?? (target === undefined ? {} : (getOwnPropertyDescriptor(target, name) ?? {}));
    const initializers = (this.#initializers[index] ??= []);
    const extra = this.#extraOf(
      isField || kind === "accessor" ? index : isStatic ? STATICS : INSTANCE,
    );
    decorate(this.#elements[index] ?? [], descriptor, { initializers, extra }, () => ({
      kind,
      name,
      static: isStatic,
      private: isPrivate,
      access: privateAccess === undefined ? publicAccess(kind, name) : { ...privateAccess },
      metadata: this.#metadata,
    }));
    if (target !== undefined) defineProperty(target, name, descriptor);
    if (own !== undefined) this.#own[index] = descriptor;
  }

  /** Applies the decorators of the class, and gives what stands for it from now on. */
  c(): unknown {
    const original = this.t as { name: unknown };
    const descriptor: PropertyDescriptor = { value: original };
    decorate(
      this.#decorators,
      descriptor,
      { initializers: [], extra: this.#extraOf(CLASS) },
      () => ({
        kind: "class",
        name: original.name,
        metadata: this.#metadata,
      }),
    );
    this.t = descriptor.value;
    this.#defineMetadata(this.t);
    return this.t;
  }

  #defineMetadata(target: unknown): void {
    const symbol = metadataSymbol();
    if (symbol === undefined || this.#metadata === undefined) return;
    const value = this.#metadata;
    defineProperty(target as object, symbol, {
      enumerable: true,
      configurable: true,
      writable: true,
      value,
    });
  }

  #extraOf(index: number): AnyFunction[] {
    let list = this.#extra.get(index);
    if (list === undefined) this.#extra.set(index, (list = []));
    return list;
  }

  /** Runs what decorators added for a field or accessor, for methods, or for the class. */
  r(self: unknown, ...indexes: number[]): void {
    for (const index of indexes) {
      const list = this.#extra.get(index) ?? [];
      // oxlint-disable-next-line typescript/prefer-for-of -- The list may grow meanwhile.
      for (let at = 0; at < list.length; at++) apply(list[at] as AnyFunction, self, []);
    }
  }

  /** The value that a field or accessor begins with. */
  i(self: unknown, index: number, value: unknown): unknown {
    let current = value;
    for (const initializer of this.#initializers[index] ?? []) {
      current = apply(initializer, self, [current]);
    }
    return current;
  }

  /** What decorators made of a private method, getter or setter. */
  v(index: number): unknown {
    return this.#own[index]?.value;
  }
  g(index: number, self: unknown): unknown {
    return apply(this.#own[index]?.get as AnyFunction, self, []);
  }
  s(index: number, self: unknown, value: unknown): void {
    apply(this.#own[index]?.set as AnyFunction, self, [value]);
  }
}

function toKey(value: unknown): Key {
  // As TypeScript does: a template calls `toString` as a property key does.
  return typeof value === "symbol" ? value : `${value as string}`;
}

function metadataSymbol(): symbol | undefined {
  return (Symbol as unknown as { metadata?: symbol }).metadata;
}

function publicAccess(kind: string, name: Key): object {
  const has = (obj: object): boolean => name in obj;
  const get = (obj: Record<Key, unknown>): unknown => obj[name];
  const set = (obj: Record<Key, unknown>, value: unknown): void => {
    obj[name] = value;
  };
  switch (kind) {
    case "setter":
      return { has, set };
    case "field":
    case "accessor":
      return { has, get, set };
    default:
      return { has, get };
  }
}

function accept(f: unknown): unknown {
  if (f !== undefined && typeof f !== "function") throw new TypeError("Function expected");
  return f;
}

/** Calls decorators, the last one first, and puts into `descriptor` what they give. */
function decorate(
  decorators: readonly unknown[],
  descriptor: PropertyDescriptor,
  { initializers, extra }: { initializers: AnyFunction[]; extra: AnyFunction[] },
  makeContext: () => Context,
): void {
  const { kind } = makeContext();
  const key = kind === "getter" ? "get" : kind === "setter" ? "set" : "value";
  let done = false;
  for (let i = decorators.length - 1; i >= 0; i--) {
    const context = makeContext();
    context.addInitializer = (f) => {
      if (done) {
        throw new TypeError("Cannot add initializers after decoration has completed");
      }
      extra[extra.length] = accept(f ?? null) as AnyFunction;
    };
    const given =
      kind === "accessor" ? { get: descriptor.get, set: descriptor.set } : descriptor[key];
    const decorator = decorators[i];
    // As the engine says it of TypeScript's helper.
    if (typeof decorator !== "function") {
      throw new TypeError("(0 , decorators[i]) is not a function");
    }
    const result = (decorator as (...rest: unknown[]) => unknown)(given, context);
    if (kind === "accessor") {
      if (result === undefined) continue;
      if (result === null || typeof result !== "object") throw new TypeError("Object expected");
      const made = result as { get?: unknown; set?: unknown; init?: unknown };
      const get = accept(made.get) as (() => unknown) | undefined;
      if (get) descriptor.get = get;
      const set = accept(made.set) as ((value: unknown) => void) | undefined;
      if (set) descriptor.set = set;
      const init = accept(made.init);
      if (init) apply(unshift, initializers, [init]);
      continue;
    }
    const made = accept(result);
    if (!made) continue;
    if (kind === "field") apply(unshift, initializers, [made]);
    else (descriptor as Record<string, unknown>)[key] = made;
  }
  done = true;
}

/** What the compiler wrote for types: an enum is the object there, and one member its value. */
function toTypes(value: unknown): unknown {
  if (!isArray(value)) return toType(value);
  const types: unknown[] = value;
  for (let at = 0; at < types.length; at++) types[at] = toType(types[at]);
  return types;
}

/** `Number`, `String` or `Object` for an enum or its member, as TypeScript writes it. */
function toType(value: unknown): unknown {
  if (typeof value === "function" || value === undefined) return value;
  if (typeof value === "number") return NumberType;
  if (typeof value === "string") return StringType;
  return typeof value === "object" && value !== null ? typeOfEnum(value) : ObjectType;
}

function typeOfEnum(object: object): unknown {
  let found: unknown;
  for (const key of ownKeys(object)) {
    const { value, get } = getOwnPropertyDescriptor(object, key) ?? {};
    if (get !== undefined || typeof key === "symbol") return ObjectType;
    // The way back from a number to its name.
    if (typeof value === "string" && `${+key}` === key) continue;
    const type = typeof value === "number" ? NumberType : StringType;
    if (typeof value !== "number" && typeof value !== "string") return ObjectType;
    if (found !== undefined && found !== type) return ObjectType;
    found = type;
  }
  return found ?? ObjectType;
}

interface WithMetadata {
  decorate?: unknown;
  metadata?: unknown;
}

/** What the global gives. */
export interface DecoratorApi {
  /** Begins the evaluation of a class with standard decorators. */
  n(outer: unknown): Decoration;
  /** Describes a private method, getter or setter that was written into `holder`. */
  p(holder: object, name: string): PropertyDescriptor | undefined;
  /** The three of `experimentalDecorators`, under the names that the compiler gives them. */
  decorate(...rest: unknown[]): unknown;
  decorateMetadata(key: unknown, value: unknown): unknown;
  decorateParam(index: number, decorator: AnyFunction): AnyFunction;
}

/** Makes the global; call it before the program runs. */
export function makeDecoratorApi(): DecoratorApi {
  return Object.freeze({
    n: (outer: unknown) => new Decoration(outer),
    p: (holder: object, name: string) => getOwnPropertyDescriptor(holder, name),
    decorate(...rest: unknown[]): unknown {
      const [decorators, target, key, desc] = rest as [AnyFunction[], object, Key, unknown];
      const count = rest.length;
      let r: unknown =
        count < 3 ? target : desc === null ? getOwnPropertyDescriptor(target, key) : desc;
      const reflect = (globalThis as { Reflect?: unknown }).Reflect as WithMetadata | undefined;
      if (typeof reflect === "object" && typeof reflect.decorate === "function") {
        r = apply(reflect.decorate as AnyFunction, reflect, [decorators, target, key, desc]);
      } else {
        for (let i = decorators.length - 1; i >= 0; i--) {
          const d = decorators[i];
          if (!d) continue;
          r = (count < 3 ? d(r) : count > 3 ? d(target, key, r) : d(target, key)) || r;
        }
      }
      if (count > 3 && r) defineProperty(target, key, r as PropertyDescriptor);
      return r;
    },
    decorateMetadata(key: unknown, value: unknown): unknown {
      const reflect = (globalThis as { Reflect?: unknown }).Reflect as WithMetadata | undefined;
      if (typeof reflect !== "object" || typeof reflect.metadata !== "function") return undefined;
      return apply(reflect.metadata as AnyFunction, reflect, [key, toTypes(value)]);
    },
    decorateParam(index: number, decorator: AnyFunction): AnyFunction {
      return (target, key) => {
        decorator(target, key, index);
      };
    },
  });
}
