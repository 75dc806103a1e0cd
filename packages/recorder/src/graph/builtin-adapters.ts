/**
 * Describes what Node itself makes: process, streams, sockets, servers, requests, URLs, signals.
 *
 * These objects are large and mostly plumbing. A few fields are read as plain data, or through Node's
 * own getters that touch private fields only; what the program added to the object is kept.
 */
/* oxlint-disable typescript/no-unsafe-type-assertion -- values are unknown until an internal slot or descriptor was asked. */
/* oxlint-disable typescript/unbound-method -- copied to be called with a receiver. */
import { EventEmitter } from "node:events";
import {
  append,
  getOwnPropertyDescriptor,
  getOwnPropertySymbols,
  hasOwn,
  isProxy,
  isArray,
  objectKeys,
  ownData,
  stringStartsWith,
  symbolDescription,
  uncurryThis,
  item,
} from "./primordials.ts";
import type { PrototypeFacts } from "./prototype-facts.ts";

/** A description by this package; fields are serialized like properties. */
export interface BuiltinDescription {
  readonly summary: string | undefined;
  readonly fields: readonly (readonly [string, unknown])[];
}

type Fields = (readonly [string, unknown])[];

const emitterPrototype: object = EventEmitter.prototype;
const urlPrototype: object = URL.prototype;
const paramsPrototype: object = URLSearchParams.prototype;
const readHref = getter(URL.prototype, "href");
const readParams = uncurryThis(URLSearchParams.prototype.toString);
const theProcess: object = process;
const theGlobal: object = globalThis;
const MAX_OWN_FIELDS = 50;
const MAX_EVENTS = 50;

function getter(prototype: object, name: string): ((self: unknown) => unknown) | undefined {
  const found = getOwnPropertyDescriptor(prototype, name)?.get;
  return found === undefined ? undefined : uncurryThis(found as (this: unknown) => unknown);
}

/** Paths of plain data by class; `a.b` looks into a nested object. */
const PICKS: Readonly<Record<string, readonly string[]>> = {
  __proto__: null as never,
  Socket: [
    "connecting",
    "_host",
    "_peername.address",
    "_peername.port",
    "_sockname.port",
    "timeout",
    "bytesRead",
  ],
  TLSSocket: [
    "connecting",
    "_host",
    "_peername.address",
    "_peername.port",
    "authorized",
    "servername",
    "alpnProtocol",
  ],
  Server: [
    "_connectionKey",
    "_connections",
    "listening",
    "maxConnections",
    "keepAliveTimeout",
    "requestTimeout",
  ],
  IncomingMessage: [
    "httpVersion",
    "method",
    "url",
    "statusCode",
    "statusMessage",
    "rawHeaders",
    "complete",
    "aborted",
  ],
  ServerResponse: ["statusCode", "statusMessage", "finished", "_header"],
  ClientRequest: [
    "method",
    "protocol",
    "host",
    "path",
    "aborted",
    "finished",
    "reusedSocket",
    "_header",
  ],
  ReadStream: ["path", "fd", "flags", "start", "end", "bytesRead", "pending"],
  WriteStream: ["path", "fd", "flags", "bytesWritten", "pending"],
  ChildProcess: ["pid", "exitCode", "signalCode", "killed", "spawnfile", "spawnargs"],
  Worker: ["threadId"],
  Readable: [],
  Writable: [],
  Duplex: [],
  Transform: [],
  PassThrough: [],
  Agent: ["defaultPort", "protocol", "maxSockets"],
  EventEmitter: [],
};

const PLUMBING = ["_events", "_eventsCount", "_maxListeners", "domain"];

/** Describes an object of Node, or undefined when it is none that we know. */
export function describeBuiltin(
  value: object,
  facts: PrototypeFacts,
): BuiltinDescription | undefined {
  if (value === theProcess) return describeProcess();
  if (value === theGlobal) return { summary: "globalThis", fields: [] };
  let isEmitter = false;
  for (let at = 0; at < facts.prototypes.length; at++) {
    const prototype = facts.prototypes[at];
    if (prototype === emitterPrototype) isEmitter = value !== emitterPrototype;
    else if (prototype === urlPrototype) return describeText("URL", readHref, value);
    else if (prototype === paramsPrototype)
      return describeText("URLSearchParams", readParams, value);
  }
  if (isEmitter) return describeEmitter(value, facts);
  const name = facts.name;
  if (name === "AbortSignal") return describeAbortSignal(value);
  if (name === "Timeout" || name === "Immediate") return describeTimer(value, name);
  return undefined;
}

function describeProcess(): BuiltinDescription {
  const fields: Fields = [];
  pick(
    theProcess,
    ["pid", "version", "platform", "arch", "argv", "execArgv", "execPath", "exitCode"],
    fields,
  );
  return { summary: "process", fields };
}

function describeText(
  name: string,
  read: ((self: unknown) => unknown) | undefined,
  value: object,
): BuiltinDescription | undefined {
  try {
    const text = read?.(value);
    if (typeof text !== "string") return undefined;
    return { summary: undefined, fields: [[name === "URL" ? "href" : "text", text]] };
  } catch {
    return undefined; // It only inherits from the class: no private fields behind it.
  }
}

function describeAbortSignal(value: object): BuiltinDescription {
  const fields: Fields = [];
  append(fields, ["aborted", symbolData(value, "kAborted") === true]);
  append(fields, ["reason", symbolData(value, "kReason")]);
  return { summary: undefined, fields };
}

function describeTimer(value: object, name: string): BuiltinDescription {
  const fields: Fields = [];
  pick(value, ["_idleTimeout", "_repeat", "_destroyed"], fields);
  const callback = ownData(value, name === "Timeout" ? "_onTimeout" : "_onImmediate");
  append(fields, ["callback", callback]);
  return { summary: undefined, fields };
}

function describeEmitter(value: object, facts: PrototypeFacts): BuiltinDescription {
  const fields: Fields = [];
  const picks = nodeClass(facts);
  const isOwnClass = picks === undefined;
  if (picks !== undefined) pick(value, picks, fields);
  streamState(value, fields);
  const names = objectKeys(value);
  for (let at = 0, kept = 0; at < names.length && kept < MAX_OWN_FIELDS; at++) {
    const name = item(names, at);
    if (isPlumbing(name) || (!isOwnClass && stringStartsWith(name, "_")) || has(fields, name))
      continue;
    const found = getOwnPropertyDescriptor(value, name);
    if (found === undefined || !hasOwn(found, "value")) continue;
    append(fields, [name, found.value]);
    kept++;
  }
  const listeners = listenerCounts(value);
  if (listeners !== "") append(fields, ["[[listeners]]", listeners]);
  return { summary: undefined, fields };
}

/** The fields of the nearest class of Node, if the object's own class is Node's. */
function nodeClass(facts: PrototypeFacts): readonly string[] | undefined {
  const name = facts.chain[0];
  return name === undefined ? undefined : (ownData(PICKS, name) as readonly string[] | undefined);
}

function streamState(value: object, fields: Fields): void {
  const readable = ownData(value, "_readableState");
  if (isPlainTarget(readable)) pickAs(readable, ["length", "highWaterMark"], "readable.", fields);
  const writable = ownData(value, "_writableState");
  if (isPlainTarget(writable)) pickAs(writable, ["length", "highWaterMark"], "writable.", fields);
}

function listenerCounts(value: object): string {
  const events = ownData(value, "_events");
  if (!isPlainTarget(events)) return "";
  const names = objectKeys(events);
  let text = "";
  for (let at = 0; at < names.length && at < MAX_EVENTS; at++) {
    const name = item(names, at);
    const listener = ownData(events, name);
    if (listener === undefined) continue;
    let count = 1;
    if (
      typeof listener === "object" &&
      listener !== null &&
      !isProxy(listener) &&
      isArray(listener)
    ) {
      count = listener.length;
    }
    text += `${text === "" ? "" : ", "}${name}×${count}`;
  }
  return text;
}

function isPlainTarget(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isProxy(value);
}

function pick(value: object, paths: readonly string[], fields: Fields): void {
  for (let at = 0; at < paths.length; at++) {
    const path = item(paths, at);
    const found = dataAt(value, path);
    if (found !== undefined)
      append(fields, [stringStartsWith(path, "_") ? withoutDash(path) : path, found]);
  }
}

function pickAs(value: object, names: readonly string[], prefix: string, fields: Fields): void {
  for (let at = 0; at < names.length; at++) {
    const found = ownData(value, item(names, at));
    if (found !== undefined) append(fields, [prefix + item(names, at), found]);
  }
}

function withoutDash(path: string): string {
  let text = "";
  for (let at = 1; at < path.length; at++) text += item(path, at);
  return text;
}

function dataAt(value: object, path: string): unknown {
  let at: unknown = value;
  let name = "";
  for (let index = 0; index <= path.length; index++) {
    const letter = path[index];
    if (letter !== undefined && letter !== ".") {
      name += letter;
      continue;
    }
    if (!isPlainTarget(at)) return undefined;
    at = ownData(at, name);
    name = "";
  }
  return at;
}

function isPlumbing(name: string): boolean {
  for (let at = 0; at < PLUMBING.length; at++) if (PLUMBING[at] === name) return true;
  return false;
}

function has(fields: Fields, name: string): boolean {
  for (let at = 0; at < fields.length; at++) if (item(fields, at)[0] === name) return true;
  return false;
}

/** Own data under the symbol that Node describes with this text. */
function symbolData(value: object, description: string): unknown {
  const symbols = getOwnPropertySymbols(value);
  for (let at = 0; at < symbols.length; at++) {
    const symbol = item(symbols, at);
    if (symbolDescription(symbol) === description) return ownData(value, symbol);
  }
  return undefined;
}
