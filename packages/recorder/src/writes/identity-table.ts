/**
 * Gives every object that is met a number, and remembers nothing that keeps it alive.
 *
 * The number is a private field that is added to the object, which no code of the program can see;
 * where an object takes no field, a `WeakMap` holds it. A `WeakMap` for all costs five times as
 * much, and weak references hold their targets until the end of the job. Runs no code of the
 * program: a Proxy is not looked into.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion, typescript/unbound-method -- Values are unknown until an internal slot or descriptor was asked; methods are uncurried. */
import nodeTypes from "node:util/types";

const { call } = Function.prototype;
const { getOwnPropertyDescriptor, getPrototypeOf, hasOwn } = Object;
const { isArray } = Array;
const { create } = Object;
const { isProxy } = nodeTypes;

/** Turns a method into a function of its receiver that the program cannot change. */
function uncurry<Receiver, Rest extends unknown[], Result>(
  method: (this: Receiver, ...rest: Rest) => Result,
): (receiver: Receiver, ...rest: Rest) => Result {
  return call.bind(method) as (receiver: Receiver, ...rest: Rest) => Result;
}

export const charCodeAtOf: (text: string, index: number) => number = uncurry(
  String.prototype.charCodeAt,
);
const sliceOf: (text: string, start: number, end: number) => string = uncurry(
  String.prototype.slice,
);
const weakGet: (map: WeakMap<object, number>, key: object) => number | undefined = uncurry(
  WeakMap.prototype.get,
);
const heldOf: (map: WeakMap<object, Held>, key: object) => Held | undefined = uncurry(
  WeakMap.prototype.get,
) as never;
const hold: (map: WeakMap<object, Held>, key: object, value: Held) => unknown = uncurry(
  WeakMap.prototype.set,
) as never;
const weakSet: (map: WeakMap<object, number>, key: object, value: number) => unknown = uncurry(
  WeakMap.prototype.set,
);
const mapGetOf: (map: unknown, key: unknown) => unknown = uncurry(
  Map.prototype.get as (this: unknown, key: unknown) => unknown,
);
const weakMapGetOf: (map: unknown, key: unknown) => unknown = uncurry(
  WeakMap.prototype.get as (this: unknown, key: unknown) => unknown,
);
export const mapSize: (self: unknown) => number = getterOf(Map.prototype, "size");
export const setSize: (self: unknown) => number = getterOf(Set.prototype, "size");
const TypedArrayPrototype = getPrototypeOf(Uint8Array.prototype) as object;
export const typedLength: (self: unknown) => number = getterOf(TypedArrayPrototype, "length");
const symbolDescription = getterOf(Symbol.prototype, "description") as (self: unknown) => unknown;

/** `Symbol(description)`, not too long. */
export function symbolText(symbol: symbol): string {
  const description = symbolDescription(symbol);
  return `Symbol(${typeof description === "string" ? sliceOf(description, 0, MAX_NAME) : ""})`;
}

function getterOf(prototype: object, name: string): (self: unknown) => number {
  const getter = getOwnPropertyDescriptor(prototype, name)?.get;
  if (getter === undefined) throw new TypeError(`no getter ${name}`);
  return uncurry(getter as (this: unknown) => number);
}

/** What an object is made of, as far as writes are concerned. */
export const SHAPES = [
  "object",
  "array",
  "map",
  "set",
  "typed",
  "weakmap",
  "weakset",
  "function",
  "proxy",
] as const;
export type Shape = (typeof SHAPES)[number];

/** What is known of the objects of one kind. */
export interface ObjectType {
  /** Name of the class, or of a function. */
  readonly name: string;
  readonly shape: Shape;
  /** Methods that its prototypes define anew; undefined when there are none. */
  readonly own: NameTable<boolean> | undefined;
}

/** A table by name that looks nothing up on a prototype. */
type NameTable<Value> = Record<string, Value | undefined>;

const TYPE_LIMIT = 4096;
const MAX_PROTOTYPES = 32;
const MAX_NAME = 80;
const OTHER: ObjectType = { name: "Object", shape: "object", own: undefined };
const MUTATORS = [
  "push",
  "pop",
  "shift",
  "unshift",
  "splice",
  "sort",
  "reverse",
  "fill",
  "copyWithin",
  "set",
  "add",
  "delete",
  "clear",
];

const BUILTINS: readonly object[] = [
  Array.prototype,
  Map.prototype,
  Set.prototype,
  TypedArrayPrototype,
  WeakMap.prototype,
  WeakSet.prototype,
];
const BUILTIN_SHAPES: readonly Shape[] = ["array", "map", "set", "typed", "weakmap", "weakset"];

/** A constructor that gives back what it gets: a class derived from it adds its fields to that. */
const Given = function (this: unknown, value: object): object {
  return value;
} as unknown as new (value: object) => object;

/** The two fields that objects get; small integers need no memory of their own. */
interface Stamps {
  /** The number of an object, or 0. */
  readonly numberOf: (value: object) => number;
  readonly typeOf: (value: object) => number;
  /** @throws If the object takes no field. */
  readonly put: (value: object, number: number, type: number) => object;
}

/** Makes fields that no other table sees. */
function createStamps(): Stamps {
  class Stamp extends Given {
    #number: number;
    #type: number;

    constructor(value: object, number: number, type: number) {
      super(value);
      this.#number = number;
      this.#type = type;
    }

    static numberOf(value: object): number {
      return #number in value ? value.#number : 0;
    }

    static typeOf(value: object): number {
      return #type in value ? value.#type : 0;
    }
  }
  const { numberOf, typeOf } = Stamp;
  return { numberOf, typeOf, put: (value, number, type) => new Stamp(value, number, type) };
}

interface Held {
  readonly number: number;
  readonly type: number;
}

/** Numbers of objects; 0 stands for none. */
export class ObjectIdentities {
  readonly #numberIn: Stamps["numberOf"];
  readonly #typeIn: Stamps["typeOf"];
  readonly #put: Stamps["put"];
  /** Of objects that take no field. */
  readonly #held = new WeakMap<object, Held>();
  #holds = false;
  readonly #typeOfPrototype = new WeakMap<object, number>();
  /** Types that need no prototype to be told apart, by shape and name. */
  readonly #named = create(null) as NameTable<number>;
  #namedCount = 0;
  readonly #types: ObjectType[] = [OTHER];
  /** Shapes of types as indexes into `SHAPES`. */
  readonly shapes: Uint8Array = new Uint8Array(TYPE_LIMIT);
  #typeCount = 1;
  #count = 0;

  constructor() {
    const { numberOf, typeOf, put } = createStamps();
    this.#numberIn = numberOf;
    this.#typeIn = typeOf;
    this.#put = put;
  }

  /** The number of an object; it gets one when it is met first. */
  numberOf(value: object): number {
    return this.#numberIn(value) || this.#meet(value);
  }

  /** The number of an object, or 0 if it was never met. */
  known(value: object): number {
    return this.#numberIn(value) || (this.#holds ? (heldOf(this.#held, value)?.number ?? 0) : 0);
  }

  /** The index of the type of an object that has a number. */
  typeIndexOf(value: object): number {
    return this.#typeIn(value) || (this.#holds ? (heldOf(this.#held, value)?.type ?? 0) : 0);
  }

  typeAt(index: number): ObjectType {
    return this.#types[index] ?? OTHER;
  }

  /** Objects that got a number. */
  get count(): number {
    return this.#count;
  }

  #meet(value: object): number {
    const held = this.#holds ? heldOf(this.#held, value) : undefined;
    if (held !== undefined) return held.number;
    let type = 0;
    try {
      type = this.#typeIndex(value);
    } catch {
      // Whatever it is, it has a number.
    }
    const number = ++this.#count;
    try {
      this.#put(value, number, type);
    } catch {
      // The language may come to refuse fields on what is frozen.
      hold(this.#held, value, { number, type });
      this.#holds = true;
    }
    return number;
  }

  #typeIndex(value: object): number {
    if (isProxy(value)) return this.#typeNamed("Proxy", "proxy");
    if (typeof value === "function") {
      const name: unknown = getOwnPropertyDescriptor(value, "name")?.value;
      return this.#typeNamed(
        typeof name === "string" ? sliceOf(name, 0, MAX_NAME) : "",
        "function",
      );
    }
    const prototype = getPrototypeOf(value) as object | null;
    if (prototype === null) return isArray(value) ? this.#typeNamed("Array", "array") : 0;
    let index = weakGet(this.#typeOfPrototype, prototype);
    if (index === undefined) {
      index = this.#add(learnType(prototype));
      weakSet(this.#typeOfPrototype, prototype, index);
    }
    return this.#checked(value, index);
  }

  /** The type of its prototype, if the object is what its prototype says. */
  #checked(value: object, index: number): number {
    const type = this.#types[index] ?? OTHER;
    const isOne = isArray(value);
    if (isOne !== (type.shape === "array")) {
      return isOne ? this.#typeNamed(type.name, "array") : this.#typeNamed(type.name, "object");
    }
    try {
      if (type.shape === "map") mapSize(value);
      else if (type.shape === "set") setSize(value);
      else if (type.shape === "typed") typedLength(value);
    } catch {
      // Made with that prototype, without being one.
      return this.#typeNamed(type.name, "object");
    }
    return index;
  }

  #typeNamed(name: string, shape: Shape): number {
    const key = `${shape} ${name}`;
    const known = this.#named[key];
    if (known !== undefined) return known;
    // The second half is for classes: a program may have any number of functions.
    if (this.#namedCount++ >= TYPE_LIMIT / 2) return 0;
    const index = this.#add({ name, shape, own: undefined });
    this.#named[key] = index;
    return index;
  }

  #add(type: ObjectType): number {
    if (this.#typeCount >= TYPE_LIMIT) return 0;
    this.#types[this.#typeCount] = type;
    this.shapes[this.#typeCount] = SHAPES.indexOf(type.shape);
    return this.#typeCount++;
  }
}

/** Learns from a prototype what its objects are; reads data properties only. */
function learnType(prototype: object): ObjectType {
  let name: string | undefined;
  let shape: Shape = "object";
  let own: NameTable<boolean> | undefined;
  let at: object | null = prototype;
  for (let steps = 0; at !== null && steps < MAX_PROTOTYPES; steps++) {
    if (isProxy(at)) break;
    if (name === undefined) name = nameOf(at);
    const builtin = builtinShape(at);
    if (builtin !== undefined) {
      shape = builtin;
      break;
    }
    for (let index = 0; index < MUTATORS.length; index++) {
      const method = MUTATORS[index] ?? "";
      if (hasOwn(at, method)) (own ??= create(null) as NameTable<boolean>)[method] = true;
    }
    at = getPrototypeOf(at) as object | null;
  }
  return { name: name ?? "Object", shape, own };
}

function builtinShape(prototype: object): Shape | undefined {
  for (let index = 0; index < BUILTINS.length; index++) {
    if (BUILTINS[index] === prototype) return BUILTIN_SHAPES[index];
  }
  return undefined;
}

function nameOf(prototype: object): string | undefined {
  const maker: unknown = getOwnPropertyDescriptor(prototype, "constructor")?.value;
  if (typeof maker !== "function" || isProxy(maker)) return undefined;
  const name: unknown = getOwnPropertyDescriptor(maker, "name")?.value;
  return typeof name === "string" && name !== "" ? sliceOf(name, 0, MAX_NAME) : undefined;
}

/** Whether a method of an object is the engine's own. */
export function isOwnMethod(owner: object, type: ObjectType, method: string): boolean {
  return type.own?.[method] === true || hasOwn(owner, method);
}

/** The value of an element or property that is plain data. */
export function dataOf(owner: object, key: string | number): { value: unknown } | undefined {
  const found = getOwnPropertyDescriptor(owner, key);
  return found !== undefined && hasOwn(found, "value")
    ? { value: found.value as unknown }
    : undefined;
}

/** What a Map or WeakMap holds under a key, read from its inside. */
export function entryOf(owner: object, shape: Shape, key: unknown): unknown {
  return shape === "map" ? mapGetOf(owner, key) : weakMapGetOf(owner, key);
}

/** Follows names from an object through plain data; undefined where code would run. */
export function followData(base: unknown, keys: readonly string[]): unknown {
  let value = base;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] ?? "";
    if ((typeof value !== "object" || value === null) && typeof value !== "function") {
      return undefined;
    }
    let holder: object | null = value;
    let found: PropertyDescriptor | undefined;
    for (let steps = 0; holder !== null && steps < MAX_PROTOTYPES; steps++) {
      if (isProxy(holder)) return undefined;
      found = getOwnPropertyDescriptor(holder, key);
      if (found !== undefined) break;
      holder = getPrototypeOf(holder) as object | null;
    }
    if (found === undefined || !hasOwn(found, "value")) return undefined;
    value = found.value as unknown;
  }
  return value;
}
