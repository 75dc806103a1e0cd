/**
 * Copies of the built-ins that the serializer uses, taken when this file loads.
 *
 * The program may replace, wrap or poison any of them later. Every copy takes the receiver as its
 * first argument. Nothing here looks a name up on a value of the program.
 */
import types from "node:util/types";

/** An element that the caller knows to be there: the index comes from a loop over the length. */
export function item<T>(list: ArrayLike<T>, index: number): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Checked by the caller's loop.
  return list[index] as T;
}

/** Any function type; only used to say "callable" without saying more. */
export type AnyFunction = (...args: never[]) => unknown;

const { call, bind } = Function.prototype;
const bindCall = call.bind(bind) as (method: unknown, self: unknown) => unknown;

/** Turns a method into a function that takes the receiver first. */
export function uncurryThis<A extends unknown[], R>(
  method: (this: never, ...args: A) => R,
): (self: unknown, ...args: A) => R {
  return bindCall(call, method) as (self: unknown, ...args: A) => R;
}

/** A method as a function that takes the receiver first. */
export type Uncurried<M extends AnyFunction> = (
  self: unknown,
  ...args: Parameters<M>
) => ReturnType<M>;

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- The caller knows the slot's type.
function getterOf<T>(prototype: object, name: string | symbol): (self: unknown) => T {
  const getter = Object.getOwnPropertyDescriptor(prototype, name)?.get;
  if (getter === undefined) throw new TypeError(`no built-in getter ${String(name)}`);
  return uncurryThis(getter as (this: unknown) => T);
}

export const defineProperty: typeof Object.defineProperty = Object.defineProperty;
export const getOwnPropertyDescriptor: typeof Object.getOwnPropertyDescriptor =
  Object.getOwnPropertyDescriptor;
export const getOwnPropertyNames: typeof Object.getOwnPropertyNames = Object.getOwnPropertyNames;
export const getOwnPropertySymbols: typeof Object.getOwnPropertySymbols =
  Object.getOwnPropertySymbols;
export const getPrototypeOf: typeof Object.getPrototypeOf = Object.getPrototypeOf;
export const hasOwn: typeof Object.hasOwn = Object.hasOwn;
export const isExtensible: typeof Object.isExtensible = Object.isExtensible;
export const isFrozen: typeof Object.isFrozen = Object.isFrozen;
export const isSealed: typeof Object.isSealed = Object.isSealed;
export const objectKeys: typeof Object.keys = Object.keys;
export const sameValue: typeof Object.is = Object.is;
export const reflectApply: (
  target: AnyFunction,
  self: unknown,
  args: ArrayLike<unknown>,
) => unknown = Reflect.apply as never;
export const isArray: typeof Array.isArray = Array.isArray;
export const isSafeInteger: typeof Number.isSafeInteger = Number.isSafeInteger;
export const symbolKeyFor: (symbol: symbol) => string | undefined = Symbol.keyFor;
export const stringFromCharCode: (code: number) => string = String.fromCharCode;
export const Uint8ArrayCopy: typeof Uint8Array = Uint8Array;
export const ObjectPrototype: object = Object.prototype;
export const ArrayPrototype: object = Array.prototype;
export const FunctionPrototype: object = Function.prototype;
export const ErrorConstructor: object = Error;
export const ErrorPrototype: object = Error.prototype;

export const isProxy: typeof types.isProxy = types.isProxy;
export const isMap: typeof types.isMap = types.isMap;
export const isSet: typeof types.isSet = types.isSet;
export const isDate: typeof types.isDate = types.isDate;
export const isRegExp: typeof types.isRegExp = types.isRegExp;
export const isPromise: typeof types.isPromise = types.isPromise;
export const isNativeError: typeof types.isNativeError = types.isNativeError;
export const isAnyArrayBuffer: typeof types.isAnyArrayBuffer = types.isAnyArrayBuffer;
export const isSharedArrayBuffer: typeof types.isSharedArrayBuffer = types.isSharedArrayBuffer;
export const isArrayBufferView: typeof types.isArrayBufferView = types.isArrayBufferView;
export const isDataView: typeof types.isDataView = types.isDataView;
export const isBoxedPrimitive: typeof types.isBoxedPrimitive = types.isBoxedPrimitive;
export const isNumberObject: typeof types.isNumberObject = types.isNumberObject;
export const isStringObject: typeof types.isStringObject = types.isStringObject;
export const isBooleanObject: typeof types.isBooleanObject = types.isBooleanObject;
export const isBigIntObject: typeof types.isBigIntObject = types.isBigIntObject;
export const isSymbolObject: typeof types.isSymbolObject = types.isSymbolObject;
export const isGeneratorObject: typeof types.isGeneratorObject = types.isGeneratorObject;
export const isModuleNamespaceObject: typeof types.isModuleNamespaceObject =
  types.isModuleNamespaceObject;
export const isArgumentsObject: typeof types.isArgumentsObject = types.isArgumentsObject;
export const isWeakMap: typeof types.isWeakMap = types.isWeakMap;
export const isWeakSet: typeof types.isWeakSet = types.isWeakSet;
export const isAsyncFunction: typeof types.isAsyncFunction = types.isAsyncFunction;
export const isGeneratorFunction: typeof types.isGeneratorFunction = types.isGeneratorFunction;
export const isMapIterator: typeof types.isMapIterator = types.isMapIterator;
export const isSetIterator: typeof types.isSetIterator = types.isSetIterator;
export const isExternal: typeof types.isExternal = types.isExternal;

export const stringSlice: Uncurried<typeof String.prototype.slice> = uncurryThis(
  String.prototype.slice,
) as never;
export const stringIndexOf: Uncurried<typeof String.prototype.indexOf> = uncurryThis(
  String.prototype.indexOf,
) as never;
export const stringLastIndexOf: Uncurried<typeof String.prototype.lastIndexOf> = uncurryThis(
  String.prototype.lastIndexOf,
) as never;
export const stringStartsWith: Uncurried<typeof String.prototype.startsWith> = uncurryThis(
  String.prototype.startsWith,
) as never;
export const stringEndsWith: Uncurried<typeof String.prototype.endsWith> = uncurryThis(
  String.prototype.endsWith,
) as never;
export const charCodeAt: Uncurried<typeof String.prototype.charCodeAt> = uncurryThis(
  String.prototype.charCodeAt,
) as never;
export const toLowerCase: Uncurried<typeof String.prototype.toLowerCase> = uncurryThis(
  String.prototype.toLowerCase,
) as never;
export const toWellFormed: Uncurried<typeof String.prototype.toWellFormed> = uncurryThis(
  String.prototype.toWellFormed,
) as never;
export const isWellFormed: Uncurried<typeof String.prototype.isWellFormed> = uncurryThis(
  String.prototype.isWellFormed,
) as never;
export const regExpExec: Uncurried<typeof RegExp.prototype.exec> = uncurryThis(
  RegExp.prototype.exec,
) as never;
export const functionToString: Uncurried<typeof Function.prototype.toString> = uncurryThis(
  Function.prototype.toString,
) as never;
export const numberToString: Uncurried<typeof Number.prototype.toString> = uncurryThis(
  Number.prototype.toString,
) as never;
export const bigintToString: Uncurried<typeof BigInt.prototype.toString> = uncurryThis(
  BigInt.prototype.toString,
) as never;
export const dateGetTime: Uncurried<typeof Date.prototype.getTime> = uncurryThis(
  Date.prototype.getTime,
) as never;
export const dateToIso: Uncurried<typeof Date.prototype.toISOString> = uncurryThis(
  Date.prototype.toISOString,
) as never;
export const numberValue: Uncurried<typeof Number.prototype.valueOf> = uncurryThis(
  Number.prototype.valueOf,
) as never;
export const stringValue: Uncurried<typeof String.prototype.valueOf> = uncurryThis(
  String.prototype.valueOf,
) as never;
export const booleanValue: Uncurried<typeof Boolean.prototype.valueOf> = uncurryThis(
  Boolean.prototype.valueOf,
) as never;
export const bigintValue: Uncurried<typeof BigInt.prototype.valueOf> = uncurryThis(
  BigInt.prototype.valueOf,
) as never;
export const symbolValue: Uncurried<typeof Symbol.prototype.valueOf> = uncurryThis(
  Symbol.prototype.valueOf,
) as never;
export const symbolDescription: (self: unknown) => string | undefined = getterOf(
  Symbol.prototype,
  "description",
);
export const regExpSource: (self: unknown) => string = getterOf(RegExp.prototype, "source");
/** Flags by letter; the `flags` getter itself would read properties of the program's object. */
export const regExpFlags: readonly (readonly [letter: string, get: (self: unknown) => boolean])[] =
  [
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
export const dataViewBuffer: (self: unknown) => ArrayBuffer = getterOf(
  DataView.prototype,
  "buffer",
);
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
    defineAt(list, list.length, value);
  } else {
    list[list.length] = value;
  }
}

interface Original {
  readonly target: object;
  readonly key: PropertyKey;
  readonly value: unknown;
}

/** Methods that Node's own code looks up on prototypes when we call it. */
const originals: Original[] = [];
for (const target of [Array, String, RegExp, Function, Map, Set, Promise, Number, Symbol]) {
  for (const key of Reflect.ownKeys(target.prototype)) {
    const found = getOwnPropertyDescriptor(target.prototype, key);
    if (found !== undefined && typeof found.value === "function" && found.configurable === true) {
      originals[originals.length] = { target: target.prototype as object, key, value: found.value };
    }
  }
}
let replaced: Original[] = [];

/**
 * Calls Node's code with the original methods in place, and puts the program's back.
 *
 * Undefined when one of them cannot be put back for the call.
 */
export function withOriginals<T>(run: () => T): T | undefined {
  const saved: PropertyDescriptor[] = [];
  try {
    for (let at = 0; at < replaced.length; at++) {
      const { target, key, value } = item(replaced, at);
      const found = getOwnPropertyDescriptor(target, key);
      if (found !== undefined && found.configurable !== true) return undefined;
      append(saved, found ?? MISSING);
      defineProperty(target, key, {
        __proto__: null,
        value,
        writable: true,
        enumerable: false,
        configurable: true,
      } as PropertyDescriptor);
    }
    return run();
  } finally {
    for (let at = 0; at < saved.length; at++) {
      const { target, key } = item(replaced, at);
      const before = item(saved, at);
      if (before === MISSING) deleteProperty(target, key);
      else defineProperty(target, key, before);
    }
  }
}

const deleteProperty: (target: object, key: PropertyKey) => boolean = Reflect.deleteProperty;
const MISSING: PropertyDescriptor = { __proto__: null } as PropertyDescriptor;

function findReplaced(): void {
  replaced = [];
  for (let at = 0; at < originals.length; at++) {
    const original = item(originals, at);
    const found = getOwnPropertyDescriptor(original.target, original.key);
    if (found === undefined || !hasOwn(found, "value") || found.value !== original.value) {
      append(replaced, original);
    }
  }
}

function defineAt<T>(list: T[], at: number, value: T): void {
  defineProperty(list, at, {
    __proto__: null,
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  } as PropertyDescriptor);
}

/** Fills a slot of an array of ours that was made with its size. */
export function putAt<T>(list: T[], at: number, value: T): void {
  if (indexAccessorsExist) defineAt(list, at, value);
  else list[at] = value;
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
      const name = item(names, at);
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
  findReplaced();
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

/** Defines a plain data property, whatever the prototype says. */
export function setData(target: object, name: string, value: unknown): void {
  defineProperty(target, name, {
    __proto__: null,
    value,
    writable: true,
    enumerable: false,
    configurable: true,
  } as PropertyDescriptor);
}
