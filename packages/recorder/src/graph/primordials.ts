/**
 * Copies of the built-ins that the serializer uses, taken when this file loads.
 *
 * The program may replace, wrap or poison any of them later. Every copy takes the receiver as its
 * first argument. Nothing here looks a name up on a value of the program.
 */
import { types } from "node:util";

/** Any function type; only used to say "callable" without saying more. */
export type AnyFunction = (...args: never[]) => unknown;

const { call, bind } = Function.prototype;
const bindCall = call.bind(bind) as (method: unknown, self: unknown) => unknown;

/** Turns a method into a function that takes the receiver first. */
export function uncurryThis<T, A extends unknown[], R>(
  method: (this: T, ...args: A) => R,
): (self: T, ...args: A) => R {
  return bindCall(call, method) as (self: T, ...args: A) => R;
}

function getterOf<T>(prototype: object, name: string | symbol): (self: unknown) => T {
  const getter = Object.getOwnPropertyDescriptor(prototype, name)?.get;
  if (getter === undefined) throw new TypeError(`no built-in getter ${String(name)}`);
  return uncurryThis(getter as (this: unknown) => T);
}

export const { defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames } = Object;
export const { getOwnPropertySymbols, getPrototypeOf, hasOwn, isExtensible } = Object;
export const { isFrozen, isSealed, keys: objectKeys, is: sameValue } = Object;
export const reflectApply: (target: AnyFunction, self: unknown, args: ArrayLike<unknown>) => unknown =
  Reflect.apply as never;
export const { isArray } = Array;
export const { isInteger, isSafeInteger } = Number;
export const symbolKeyFor: (symbol: symbol) => string | undefined = Symbol.keyFor;
export const stringFromCharCode: (code: number) => string = String.fromCharCode;
export const Uint8ArrayCopy: typeof Uint8Array = Uint8Array;
export const ObjectPrototype: object = Object.prototype;
export const ArrayPrototype: object = Array.prototype;
export const FunctionPrototype: object = Function.prototype;
export const ErrorConstructor: object = Error;
export const ErrorPrototype: object = Error.prototype;

export const {
  isProxy,
  isMap,
  isSet,
  isDate,
  isRegExp,
  isPromise,
  isNativeError,
  isAnyArrayBuffer,
  isSharedArrayBuffer,
  isArrayBufferView,
  isDataView,
  isBoxedPrimitive,
  isNumberObject,
  isStringObject,
  isBooleanObject,
  isBigIntObject,
  isSymbolObject,
  isGeneratorObject,
  isModuleNamespaceObject,
  isArgumentsObject,
  isWeakMap,
  isWeakSet,
  isAsyncFunction,
  isGeneratorFunction,
  isMapIterator,
  isSetIterator,
  isExternal,
} = types;

export const stringSlice = uncurryThis(String.prototype.slice);
export const stringIndexOf = uncurryThis(String.prototype.indexOf);
export const stringLastIndexOf = uncurryThis(String.prototype.lastIndexOf);
export const stringStartsWith = uncurryThis(String.prototype.startsWith);
export const stringEndsWith = uncurryThis(String.prototype.endsWith);
export const charCodeAt = uncurryThis(String.prototype.charCodeAt);
export const toLowerCase = uncurryThis(String.prototype.toLowerCase);
export const toWellFormed = uncurryThis(String.prototype.toWellFormed);
export const isWellFormed = uncurryThis(String.prototype.isWellFormed);
export const regExpExec = uncurryThis(RegExp.prototype.exec);
export const functionToString = uncurryThis(Function.prototype.toString);
export const numberToString = uncurryThis(Number.prototype.toString);
export const bigintToString = uncurryThis(BigInt.prototype.toString);
export const dateGetTime = uncurryThis(Date.prototype.getTime);
export const dateToIso = uncurryThis(Date.prototype.toISOString);
export const numberValue = uncurryThis(Number.prototype.valueOf);
export const stringValue = uncurryThis(String.prototype.valueOf);
export const booleanValue = uncurryThis(Boolean.prototype.valueOf);
export const bigintValue = uncurryThis(BigInt.prototype.valueOf);
export const symbolValue = uncurryThis(Symbol.prototype.valueOf);
export const symbolDescription: (self: unknown) => string | undefined = getterOf(
  Symbol.prototype,
  "description",
);
export const regExpSource: (self: unknown) => string = getterOf(RegExp.prototype, "source");
/** Flags by letter; the `flags` getter itself would read properties of the program's object. */
export const regExpFlags: readonly (readonly [letter: string, get: (self: unknown) => boolean])[] = [
  ["d", getterOf(RegExp.prototype, "hasIndices")],
  ["g", getterOf(RegExp.prototype, "global")],
  ["i", getterOf(RegExp.prototype, "ignoreCase")],
  ["m", getterOf(RegExp.prototype, "multiline")],
  ["s", getterOf(RegExp.prototype, "dotAll")],
  ["u", getterOf(RegExp.prototype, "unicode")],
  ["v", getterOf(RegExp.prototype, "unicodeSets")],
  ["y", getterOf(RegExp.prototype, "sticky")],
];

export const mapSize: (self: unknown) => number = getterOf(Map.prototype, "size");
export const setSize: (self: unknown) => number = getterOf(Set.prototype, "size");
const mapEntries = uncurryThis(Map.prototype.entries as (this: unknown) => object);
const setValues = uncurryThis(Set.prototype.values as (this: unknown) => object);
type Step<T> = { readonly done: boolean; readonly value: T };
const mapNext = uncurryThis(
  getPrototypeOf(new Map().entries()).next as (this: unknown) => Step<[unknown, unknown]>,
);
const setNext = uncurryThis(
  getPrototypeOf(new Set().values()).next as (this: unknown) => Step<unknown>,
);

/** Calls back for the first `limit` entries of a Map, in insertion order. */
export function eachMapEntry(
  map: unknown,
  limit: number,
  visit: (key: unknown, value: unknown) => void,
): void {
  const iterator = mapEntries(map);
  for (let count = 0; count < limit; count++) {
    const step = mapNext(iterator);
    if (step.done) return;
    visit(step.value[0], step.value[1]);
  }
}

/** Calls back for the first `limit` values of a Set, in insertion order. */
export function eachSetValue(set: unknown, limit: number, visit: (value: unknown) => void): void {
  const iterator = setValues(set);
  for (let count = 0; count < limit; count++) {
    const step = setNext(iterator);
    if (step.done) return;
    visit(step.value);
  }
}

const TypedArrayPrototype = getPrototypeOf(Uint8Array.prototype) as object;
/** `Uint8Array` and so on, from the internal slot. */
export const typedArrayName: (self: unknown) => string | undefined = getterOf(
  TypedArrayPrototype,
  Symbol.toStringTag,
);
export const typedArrayLength: (self: unknown) => number = getterOf(TypedArrayPrototype, "length");
export const typedArrayByteLength: (self: unknown) => number = getterOf(
  TypedArrayPrototype,
  "byteLength",
);
export const typedArrayByteOffset: (self: unknown) => number = getterOf(
  TypedArrayPrototype,
  "byteOffset",
);
export const typedArrayBuffer: (self: unknown) => ArrayBuffer = getterOf(
  TypedArrayPrototype,
  "buffer",
);
export const dataViewByteLength: (self: unknown) => number = getterOf(
  DataView.prototype,
  "byteLength",
);
export const dataViewByteOffset: (self: unknown) => number = getterOf(
  DataView.prototype,
  "byteOffset",
);
export const dataViewBuffer: (self: unknown) => ArrayBuffer = getterOf(DataView.prototype, "buffer");
export const arrayBufferByteLength: (self: unknown) => number = getterOf(
  ArrayBuffer.prototype,
  "byteLength",
);
export const sharedBufferByteLength: (self: unknown) => number = getterOf(
  SharedArrayBuffer.prototype,
  "byteLength",
);

/** A Map whose methods the program cannot reach: its prototype chain ends here. */
export class SafeMap<K, V> extends Map<K, V> {}
/** A Set whose methods the program cannot reach: its prototype chain ends here. */
export class SafeSet<T> extends Set<T> {}
/** A WeakMap whose methods the program cannot reach. */
export class SafeWeakMap<K extends WeakKey, V> extends WeakMap<K, V> {}

function seal(target: { readonly prototype: object }, source: object): void {
  for (const key of Reflect.ownKeys(source)) {
    if (key === "constructor") continue;
    const found = getOwnPropertyDescriptor(source, key);
    if (found !== undefined) defineProperty(target.prototype, key, found);
  }
  Object.setPrototypeOf(target.prototype, null);
  Object.freeze(target.prototype);
}
seal(SafeMap, Map.prototype);
seal(SafeSet, Set.prototype);
seal(SafeWeakMap, WeakMap.prototype);

/**
 * Appends to an array of ours.
 *
 * An assignment behind the end would run a setter that somebody put on `Array.prototype[n]`, so the
 * careful way is taken for the whole capture when such a thing exists.
 */
export function append<T>(list: T[], value: T): void {
  if (indexAccessorsExist) {
    defineProperty(list, list.length, {
      __proto__: null,
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    } as PropertyDescriptor);
  } else {
    list[list.length] = value;
  }
}

let indexAccessorsExist = false;
let accessorsExist = false;

/** Looks once per capture whether the program put accessors where plain reads would meet them. */
export function inspectPrototypes(): void {
  indexAccessorsExist = false;
  accessorsExist = false;
  const found = [ObjectPrototype, ArrayPrototype, FunctionPrototype];
  for (let which = 0; which < found.length; which++) {
    const prototype = found[which] as object;
    const names = getOwnPropertyNames(prototype);
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string;
      const first = charCodeAt(name, 0);
      if (first >= 48 && first <= 57) indexAccessorsExist = true;
      const built = getOwnPropertyDescriptor(prototype, name);
      if (built === undefined || hasOwn(built, "value")) {
        if (name === "toJSON" || name === "then") accessorsExist = true;
        continue;
      }
      const known =
        name === "__proto__" ||
        (prototype === FunctionPrototype && (name === "caller" || name === "arguments"));
      if (!known) accessorsExist = true;
    }
  }
  if (getPrototypeOf(ObjectPrototype) !== null || indexAccessorsExist) accessorsExist = true;
}

/** Whether Node's own code, when we call it, could run accessors of the program by accident. */
export function nodeInternalsAreReachable(): boolean {
  return accessorsExist;
}

/** The value of an own data property; never runs an accessor. `object` must not be a Proxy. */
export function ownData(object: object, key: PropertyKey): unknown {
  const found = getOwnPropertyDescriptor(object, key);
  return found !== undefined && hasOwn(found, "value") ? found.value : undefined;
}

/** Like `ownData`, but looks along the prototype chain, and stops at a Proxy or an accessor. */
export function inheritedData(object: object, key: PropertyKey): unknown {
  let at: object | null = object;
  for (let steps = 0; at !== null && steps < MAX_CHAIN; steps++) {
    if (isProxy(at)) return undefined;
    const found = getOwnPropertyDescriptor(at, key);
    if (found !== undefined) return hasOwn(found, "value") ? found.value : undefined;
    at = getPrototypeOf(at) as object | null;
  }
  return undefined;
}

/** Longest prototype chain that is followed. */
export const MAX_CHAIN = 100;
