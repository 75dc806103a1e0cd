/**
 * The recorder's own runtime for the probes, without its process-wide parts (ring file, loader,
 * triggers), and the rules of the recording protocol checked on the way.
 */
import { installFunctionText } from "../../packages/recorder/src/stack/function-text.ts";
import { installStackText } from "../../packages/recorder/src/stack/stack-text.ts";
import { StartingFrames } from "../../packages/recorder/src/operations/starting-frames.ts";
import {
  type LoadedModule,
  ModuleRegistry,
} from "../../packages/recorder/src/runtime/module-registry.ts";
import {
  defineProbeGlobals,
  defineWriteGlobals,
  type ProbeApi,
  ProbeRuntime,
} from "../../packages/recorder/src/runtime/probe-runtime.ts";
import { openWrites } from "../../packages/recorder/src/writes/thread-writes.ts";

const MAX_WRITES = 1 << 14;
const RING_SIZE = 1 << 16;
export const RING_MASK: number = RING_SIZE - 1;
const ID_MASK = 0x0fffffff;
const MAX_PROBLEMS = 5;

/** A registry that forgets: a million programs are loaded under the same few names. */
class CurrentModules extends ModuleRegistry {
  #modules: LoadedModule[] = [];

  override add(
    _siteCount: number,
    _wish: number,
    create: (base: number) => LoadedModule,
  ): LoadedModule {
    const last = this.#modules[this.#modules.length - 1];
    const module = create(last === undefined ? FIRST_BASE : last.base + last.siteCount);
    this.#modules.push(module);
    return module;
  }

  override findById(id: number): LoadedModule | undefined {
    return this.#modules.find(({ base, siteCount }) => id > base && id <= base + siteCount);
  }

  override findByScript(scriptName: string): LoadedModule | undefined {
    return this.#modules.find((module) => module.scriptName === scriptName);
  }

  override get size(): number {
    return this.#modules.length;
  }

  override [Symbol.iterator](): IterableIterator<LoadedModule> {
    return this.#modules[Symbol.iterator]();
  }

  clear(): void {
    this.#modules = [];
  }
}

/** Ids of a program do not begin at 0, as in a process that has loaded others. */
const FIRST_BASE = 1000;

/** The probes' globals of this process. */
export class ProbeStand {
  readonly modules = new CurrentModules();
  /** Original texts by their hash. */
  readonly texts = new Map<string, string>();
  readonly problems: string[] = [];
  readonly #events = new Int32Array(RING_SIZE);
  readonly #head = new Int32Array(2);

  constructor() {
    const { modules } = this;
    const ring = { events: this.#events, head: this.#head };
    const writes = openWrites({ captureMaxMutations: MAX_WRITES }, ring.head);
    const runtime = new ProbeRuntime({
      modules,
      starting: new StartingFrames(ring.events, ring.head),
      head: ring.head,
      currentOperation: () => undefined,
      writes: writes.api,
    });
    defineWriteGlobals(writes.api, writes.activations);
    defineProbeGlobals(ring, this.#checked(runtime.api));
    installStackText(modules, []);
    installFunctionText(modules, ({ contentHash }) => this.texts.get(contentHash));
  }

  /** Begins a run; with `isWaiting` every probe hands over its locals. */
  begin(isWaiting: boolean): void {
    this.modules.clear();
    this.texts.clear();
    this.problems.length = 0;
    this.#head[0] = 0;
    this.#head[1] = isWaiting ? 1 : 0;
  }

  /** Ends a run and checks its events: a function that is left was entered. */
  end(): void {
    this.#head[1] = 0;
    const open = new Map<number, number>();
    const count = Math.min(this.#head[0] ?? 0, RING_SIZE);
    for (let at = 0; at < count; at++) {
      const word = this.#events[at] ?? 0;
      const kind = (word >>> 28) & 7;
      const id = word & ID_MASK;
      const module = this.modules.findById(id);
      if (module === undefined) {
        this.#problem(`event ${kind} names ${id}`);
        continue;
      }
      const owner = module.base + (module.tables.sites.owners[id - module.base - 1] ?? 0);
      const entered = open.get(owner) ?? 0;
      if (kind === 0) open.set(owner, entered + 1);
      if (kind === 1) {
        if (entered === 0) this.#problem(`function ${owner} was left but not entered`);
        open.set(owner, entered - 1);
      }
      if (word < 0 && kind !== 1) this.#problem(`event ${kind} says it was left by an error`);
    }
  }

  #problem(text: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(text);
  }

  #checkLocals(word: number, locals: readonly unknown[] | undefined): void {
    const id = word & ID_MASK;
    const module = this.modules.findById(id);
    if (module === undefined) {
      this.#problem(`a probe names ${id}`);
      return;
    }
    if (locals === undefined) return;
    const expected = module.owner(id).locals.length;
    if (locals.length !== expected) {
      this.#problem(`${locals.length} locals, not ${expected}, at ${id - module.base}`);
    }
  }

  #checked(api: ProbeApi): ProbeApi {
    return {
      ...api,
      x: (word, error, self, locals, awaited) => {
        this.#checkLocals(word, locals);
        api.x(word, error, self, locals, awaited);
      },
      b: (value, id, self, locals) => {
        this.#checkLocals(id, locals);
        return api.b(value, id, self, locals);
      },
      m: (base, read) => {
        api.m(base, read);
        for (let index = -1; index < 3; index++) {
          try {
            read(index);
          } catch {
            // A binding in its dead zone: the recorder catches too.
          }
        }
      },
    };
  }
}
