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
import { WRITE_METHODS } from "@orangebox/instrument/sites";

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

const TYPE_LIMIT = 1024;
const TYPE_MASK = TYPE_LIMIT - 1;
export const ARRAY = 1;
export const MAP = 2;
export const SET = 3;
export const TYPED = 4;
const ObjectPrototype: object = Object.prototype;
const ArrayPrototype: object = Array.prototype;
const MAX_PROTOTYPES = 32;
const MAX_NAME = 80;
const OTHER: ObjectType = { name: "Object", shape: "object", own: undefined };
/** Methods of collections; the others are functions of `Object`. */
const MUTATORS = WRITE_METHODS.filter((name) => !name.includes("."));

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

/** The field that objects get. */
interface Stamps {
  /** The identity of an object, or 0. */
  readonly read: (value: object) => number;
  /** @throws If the object takes no field. */
  readonly put: (value: object, identity: number) => object;
}

/** Makes a field that no other table sees. */
function createStamps(): Stamps {
  class Stamp extends Given {
    #identity: number;

    constructor(value: object, identity: number) {
      super(value);
      this.#identity = identity;
    }

    static read(value: object): number {
      return #identity in value ? value.#identity : 0;
    }
  }
  const { read } = Stamp;
  return { read, put: (value, identity) => new Stamp(value, identity) };
}

/**
 * Identities of objects; 0 stands for none.
 *
 * An identity is the number of an object times 1024, plus the index of its type: one field is
 * looked up where two would be, and for the first two million objects it is a small integer.
 */
export class ObjectIdentities {
  readonly #read: Stamps["read"];
  readonly #put: Stamps["put"];
  /** Of objects that take no field. */
  readonly #held = new WeakMap<object, number>();
  #holds = false;
  readonly #typeOfPrototype = new WeakMap<object, number>();
  readonly #types: ObjectType[] = [OTHER];
  /** Shapes of types as indexes into `SHAPES`. */
  readonly shapes: Uint8Array = new Uint8Array(TYPE_LIMIT);
  #typeCount = 1;
  #count = 0;
  readonly #plain: number;
  readonly #array: number;
  readonly #function: number;
  readonly #proxy: number;

  constructor() {
    const { read, put } = createStamps();
    this.#read = read;
    this.#put = put;
    this.#plain = this.#add({ name: "Object", shape: "object", own: undefined });
    this.#array = this.#add({ name: "Array", shape: "array", own: undefined });
    this.#function = this.#add({ name: "Function", shape: "function", own: undefined });
    this.#proxy = this.#add({ name: "Proxy", shape: "proxy", own: undefined });
  }

  /** The identity of an object; it gets one when it is met first. */
  of(value: object): number {
    return this.#read(value) || this.#meet(value);
  }

  /** The identity of an object, or 0 if it was never met. */
  known(value: object): number {
    return this.#read(value) || (this.#holds ? (weakGet(this.#held, value) ?? 0) : 0);
  }

  typeOf(identity: number): ObjectType {
    return this.#types[identity & TYPE_MASK] ?? OTHER;
  }

  /** The index into `SHAPES` of what an object is made of. */
  shapeOf(identity: number): number {
    return this.shapes[identity & TYPE_MASK] ?? 0;
  }

  /** Objects that got a number. */
  get count(): number {
    return this.#count;
  }

  #meet(value: object): number {
    if (this.#holds) {
      const held = weakGet(this.#held, value);
      if (held !== undefined) return held;
    }
    let type = 0;
    try {
      type = this.#typeIndex(value);
    } catch {
      // Whatever it is, it has a number.
    }
    const identity = ++this.#count * TYPE_LIMIT + type;
    try {
      this.#put(value, identity);
    } catch {
      // The language may come to refuse fields on what is frozen.
      weakSet(this.#held, value, identity);
      this.#holds = true;
    }
    return identity;
  }

  #typeIndex(value: object): number {
    if (isProxy(value)) return this.#proxy;
    // The name of a function is looked at when there is time: its descriptor costs most of all this.
    if (typeof value === "function") return this.#function;
    const prototype = getPrototypeOf(value) as object | null;
    const isList = isArray(value);
    if (prototype === ObjectPrototype || prototype === null) {
      return isList ? this.#array : this.#plain;
    }
    if (prototype === ArrayPrototype) return isList ? this.#array : this.#plain;
    let index = weakGet(this.#typeOfPrototype, prototype);
    if (index === undefined) {
      index = this.#add(learnType(prototype));
      weakSet(this.#typeOfPrototype, prototype, index);
    }
    return isWhatItSays(value, this.shapes[index] ?? 0, isList)
      ? index
      : isList
        ? this.#array
        : this.#plain;
  }

  #add(type: ObjectType): number {
    if (this.#typeCount >= TYPE_LIMIT) return 0;
    this.#types[this.#typeCount] = type;
    this.shapes[this.#typeCount] = shapeIndex(type.shape);
    return this.#typeCount++;
  }
}

/** Whether an object is made of what its prototype says; one can be made with any. */
function isWhatItSays(value: object, shape: number, isList: boolean): boolean {
  if (isList !== (shape === ARRAY)) return false;
  if (shape === 0 || isList) return true;
  try {
    if (shape === MAP) mapSize(value);
    else if (shape === SET) setSize(value);
    else if (shape === TYPED) typedLength(value);
    return true;
  } catch {
    return false;
  }
}

function shapeIndex(shape: Shape): number {
  for (let index = 0; index < SHAPES.length; index++) if (SHAPES[index] === shape) return index;
  return 0;
}

/** The number of an object, as files have it. */
export function objectNumber(identity: number): number {
  return Math.floor(identity / TYPE_LIMIT);
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
