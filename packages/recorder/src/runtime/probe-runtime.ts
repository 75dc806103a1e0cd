/**
 * The object that instrumented code calls: `__obF`.
 *
 * Every method runs inside the recorded program, mostly while an error unwinds: none may throw,
 * call user code or keep a value alive longer than the error it belongs to. The names are one
 * letter long because they stand in every instrumented function.
 * Protocol: docs/decisions/0002-probe-form.md.
 */
import types from "node:util/types";
import { DECORATORS, makeDecoratorApi } from "@orangebox/instrument/sites";
import type { Operation } from "../operations/operation.ts";
import type { StartingFrames } from "../operations/starting-frames.ts";
import type { ModuleRegistry } from "./module-registry.ts";
import {
  getOwnPropertyDescriptor,
  getPrototypeOf,
  isReference,
  SafeWeakMap,
} from "./primordials.ts";
import type { WriteApi } from "../writes/note-writes.ts";
import { BirthTable, UnwindingTable } from "./unwinding.ts";

const { apply } = Reflect;

const ID_MASK = 0x0fffffff;
/** Longer prototype chains are not followed. */
const MAX_PROTOTYPES = 64;

/** Reads the private fields of an instance: name, value, name, value … */
export type PrivateReader = (instance: unknown) => unknown[];

/** What instrumented code sees. */
export interface ProbeApi {
  x(word: number, error: unknown, self: unknown, locals: unknown[], awaited?: unknown): void;
  b(value: unknown, id: number, self?: unknown, locals?: unknown[]): unknown;
  p(promise: unknown, id: number): unknown;
  m(base: number, read: (index: number) => unknown): void;
  e(base: number): void;
  k(constructor: unknown, read: PrivateReader): void;
  /** Registers a file that was built with probes; see built-files.ts. */
  t(base: number, note: string, script?: string): void;
  /** Such a file notes its writes. */
  w(): void;
  /** Level `writes`; see note-writes.ts. */
  readonly d?: WriteApi["remove"];
  readonly u?: WriteApi["update"];
  readonly o?: WriteApi["first"];
  readonly q?: WriteApi["follow"];
}

/** What the runtime is made from. */
interface RuntimeFields {
  readonly modules: ModuleRegistry;
  readonly starting: StartingFrames;
  readonly head: Int32Array;
  readonly currentOperation: () => Operation | undefined;
  /** Undefined below level `writes`. */
  readonly writes: WriteApi | undefined;
  readonly onBuiltFile?: ProbeApi["t"];
  /** Begins to note writes, for a built file that does. */
  readonly openWrites?: () => WriteApi;
  /** The readers of classes that were there before the recorder. */
  readonly earlierPrivates?: ((constructor: object) => PrivateReader | undefined) | undefined;
}

type WriteMethods = Required<Pick<ProbeApi, "d" | "u" | "o" | "q">>;

function methodsOf(writes: WriteApi): WriteMethods {
  return { d: writes.remove, u: writes.update, o: writes.first, q: writes.follow };
}

/** The state behind the probes of one thread. */
export class ProbeRuntime {
  readonly unwindings: UnwindingTable = new UnwindingTable();
  /** Where errors and rejected promises were made. */
  readonly births: BirthTable = new BirthTable();
  /** The probe id of the `new Promise(…)` that made a promise. */
  readonly promiseSites: SafeWeakMap<object, number> = new SafeWeakMap();
  readonly #privates = new SafeWeakMap<object, PrivateReader>();
  readonly #modules: ModuleRegistry;
  readonly #starting: StartingFrames;
  readonly #head: Int32Array;
  readonly #currentOperation: () => Operation | undefined;
  readonly #fields: RuntimeFields;
  readonly api: ProbeApi;

  constructor(fields: RuntimeFields) {
    this.#fields = fields;
    this.#modules = fields.modules;
    this.#starting = fields.starting;
    this.#head = fields.head;
    this.#currentOperation = fields.currentOperation;
    const { writes } = fields;
    const api = this.#createApi();
    this.api = Object.freeze({
      ...api,
      ...(writes === undefined ? this.#lateWrites() : methodsOf(writes)),
    });
  }

  /**
   * A built file may note its writes although nothing else does.
   *
   * Arguments are handed on one by one: a spread would call the program's iterators.
   */
  #lateWrites(): WriteMethods {
    return {
      d: (id, frame, before, result, key, after) =>
        this.#late ? this.#late.remove(id, frame, before, result, key, after) : result,
      u: (delta, id, frame, before, old, key, after) =>
        this.#late ? this.#late.update(delta, id, frame, before, old, key, after) : old,
      o: (value) => value,
      q: (...rest) => (this.#late ? apply(this.#late.follow, undefined, rest) : undefined),
    };
  }

  #late: WriteApi | undefined;

  #createApi(): ProbeApi {
    const { unwindings, births, promiseSites } = this;
    const modules = this.#modules;
    const starting = this.#starting;
    const head = this.#head;
    const currentOperation = this.#currentOperation;
    return {
      x(word, error, self, locals, awaited) {
        const id = word & ID_MASK;
        if (word < 0) {
          unwindings.leave(error, { id, self, locals, awaited }, currentOperation);
        }
        if (head[1] !== 0) starting.leave(id, self, locals);
      },
      b(value, id, self, locals) {
        try {
          if (isReference(value)) {
            births.add(value, { id, self, locals, operation: currentOperation() });
          }
        } catch {
          // The value matters to the program, the note of its birth does not.
        }
        return value;
      },
      p(promise, id) {
        try {
          if (isReference(promise)) promiseSites.set(promise, id);
        } catch {
          // As above.
        }
        return promise;
      },
      m(base, read) {
        const module = modules.findLoaded(base + 1);
        if (module === undefined) return;
        module.read = read;
        // The body of a CommonJS module is a frame of its own while it runs.
        module.evaluating = module.format === "module";
      },
      e(base) {
        const module = modules.findLoaded(base + 1);
        if (module === undefined) return;
        module.evaluating = false;
      },
      k: (constructor, read) => {
        if (isReference(constructor)) this.#privates.set(constructor, read);
      },
      t: this.#fields.onBuiltFile ?? (() => undefined),
      w: () => {
        try {
          this.#late ??= this.#fields.openWrites?.();
        } catch {
          // Its writes are not noted.
        }
      },
    };
  }

  /**
   * The private fields of an instance, for classes that were instrumented.
   *
   * @returns Undefined when no class on its prototype chain has a reader.
   */
  privatesOf(instance: object): readonly (readonly [string, unknown])[] | undefined {
    let fields: [string, unknown][] | undefined;
    let prototype = getPrototypeOf(instance) as object | null;
    for (let depth = 0; prototype !== null && depth < MAX_PROTOTYPES; depth++) {
      if (types.isProxy(prototype)) break;
      const constructor: unknown = getOwnPropertyDescriptor(prototype, "constructor")?.value;
      const read = isReference(constructor)
        ? (this.#privates.get(constructor) ?? this.#fields.earlierPrivates?.(constructor))
        : undefined;
      if (read !== undefined) {
        fields ??= [];
        const pairs = read(instance);
        for (let i = 0; i + 1 < pairs.length; i += 2)
          fields.push([pairs[i] as string, pairs[i + 1]]);
      }
      prototype = getPrototypeOf(prototype) as object | null;
    }
    return fields;
  }
}

/**
 * Defines the globals that instrumented code uses, unless a built file has done so.
 *
 * They stay when recording ends: functions that were instrumented go on running.
 */
export function defineProbeGlobals(
  ring: { events: Int32Array; head: Int32Array },
  api: ProbeApi,
): void {
  defineGlobal("__obR", ring.events);
  defineGlobal("__obH", ring.head);
  defineGlobal("__obM", ring.events.length - 1);
  defineGlobal("__obF", api);
  defineGlobal(DECORATORS, makeDecoratorApi());
}

/** The globals of level `writes`. @param activations [the number of the next activation] */
export function defineWriteGlobals(api: WriteApi, activations: Float64Array): void {
  defineGlobal("__obW", api.write);
  defineGlobal("__obS", api.store);
  defineGlobal("__obC", api.change);
  defineGlobal("__obA", activations);
}

function defineGlobal(name: string, value: unknown): void {
  if (getOwnPropertyDescriptor(globalThis, name) !== undefined) return;
  Object.defineProperty(globalThis, name, {
    value,
    enumerable: false,
    writable: false,
    // What cannot be configured jest copies into each sandbox, and deletes all that is in it when
    // the sandbox ends: entry by entry, with a search for each of the 262,144 entries of the ring.
    configurable: true,
  });
}
