/**
 * Puts the frames of an error together: those it left, those only its stack knows, the module
 * bodies, and the frames that started the callback in which it failed.
 *
 * Order: crash first (docs/format.md, "Frames").
 */
import { isAbsolute } from "node:path";
import { type FunctionSite, type Site, visibleLocals } from "@orangebox/instrument/sites";
import { readWeakValue, type Operation } from "../operations/operation.ts";
import type { LoadedModule, ModuleRegistry } from "../runtime/module-registry.ts";
import type { ProbeRuntime } from "../runtime/probe-runtime.ts";
import { isReference, objectIs } from "../runtime/primordials.ts";
import type { Birth, UnwoundFrame } from "../runtime/unwinding.ts";
import { parseStackLines, type StackLine } from "../stack/stack-lines.ts";

/** A local variable as the graph serializer takes it. */
export interface CollectedLocal {
  readonly name: string;
  readonly value: unknown;
  readonly state?: "uninitialized" | "collected";
}

/** Where a promise was made. */
export interface PromisePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly qualname: string;
}

/** One frame of the box. */
export interface CollectedFrame {
  readonly file: string;
  readonly qualname: string;
  readonly line: number;
  readonly column: number;
  readonly firstLine: number;
  /** `started-by`: had returned; it made the call whose callback failed. */
  readonly kind: "sync" | "async" | "started-by";
  readonly isAsync: boolean;
  /** The boundary between the frame before and this one. */
  readonly boundary?: string;
  readonly note?: string;
  /** Where it is in a built file whose table is lost; `line` and `column` are those without probes. */
  readonly inFile?: { readonly line: number; readonly column: number } | undefined;
  /** The rejected promise that this frame awaited. */
  readonly promise?: PromisePlace;
  readonly locals: readonly CollectedLocal[];
  /** The error being handled here when the next one was thrown. */
  readonly handling?: { readonly value: unknown };
  readonly module?: LoadedModule;
  readonly site?: Site;
  /** The probe of `site`. */
  readonly siteId?: number;
  /** The original text, when a source map brought it. */
  readonly sourceText?: string;
  /** The place in the compiled file, when a source map led away from it. */
  readonly generated?: { readonly file: string; readonly line: number; readonly column: number };
}

/** What is known when a box is asked for. */
export interface CrashFacts {
  readonly error: unknown;
  /** The stack with original positions, when it can be had without the program's code. */
  readonly stack: string | undefined;
  /** The promise whose rejection nobody handled. */
  readonly promise?: unknown;
  /** The operation of the current callback, for errors that left no instrumented function. */
  readonly operation: Operation | undefined;
  /** An ES module's evaluation failed: its body is the last frame. */
  readonly moduleFailed: boolean;
}

const MAX_FRAMES = 200;
const MAX_STARTED_FRAMES = 8;
/** How many module-level bindings a frame shows as captured variables. */
const MAX_CAPTURES = 32;

/** Collects all frames of a crash. Runs none of the program's code. */
export function collectFrames(
  facts: CrashFacts,
  modules: ModuleRegistry,
  runtime: ProbeRuntime,
): { frames: CollectedFrame[]; leftOut: number } {
  const all = new FrameCollector(modules, runtime).collect(facts);
  const frames = all.slice(0, MAX_FRAMES);
  const dropped = runtime.unwindings.find(facts.error)?.droppedFrames ?? 0;
  return { frames, leftOut: all.length - frames.length + dropped };
}

class FrameCollector {
  readonly #modules: ModuleRegistry;
  readonly #runtime: ProbeRuntime;

  constructor(modules: ModuleRegistry, runtime: ProbeRuntime) {
    this.#modules = modules;
    this.#runtime = runtime;
  }

  collect(facts: CrashFacts): CollectedFrame[] {
    const { error } = facts;
    const unwinding = this.#runtime.unwindings.find(error);
    const left = this.#lastPassage(unwinding?.frames ?? [], error);
    const unwound = left.map((frame) => this.#unwoundFrame(frame));
    const birth = this.#birthOf(facts, left);
    if (birth !== undefined) {
      const made = this.#birthFrame(birth, unwound[0]);
      if (made !== undefined) unwound.unshift(made);
    }
    const known = unwound.filter((frame) => frame !== undefined);
    const frames = this.#mergeWithStack(known, facts.stack);
    if (facts.moduleFailed) this.#addModuleFrames(frames);
    const operation = unwinding?.operation ?? birth?.operation ?? facts.operation;
    this.#addStartingFrames(frames, operation);
    return frames;
  }

  /**
   * The frames since the error was last thrown.
   *
   * An error object can be thrown, caught, kept and thrown again elsewhere.
   */
  #lastPassage(frames: readonly UnwoundFrame[], error: unknown): readonly UnwoundFrame[] {
    for (let i = frames.length - 1; i > 0; i--) {
      const frame = frames[i];
      if (frame === undefined) continue;
      const module = this.#modules.findById(frame.id);
      if (module === undefined) continue;
      const site = module.site(frame.id);
      if (site.kind !== "throw") continue;
      const isRethrow = visibleLocals(module.tables.sites, frame.id - module.base).some(
        ({ index, local }) => local.role === "catch" && objectIs(frame.locals[index], error),
      );
      if (!isRethrow) return frames.slice(i);
    }
    return frames;
  }

  #birthOf(facts: CrashFacts, left: readonly UnwoundFrame[]): Birth | undefined {
    const { births } = this.#runtime;
    if (isReference(facts.error)) {
      const birth = births.get(facts.error);
      if (birth !== undefined) return birth;
    }
    const awaited = left[0]?.awaited;
    if (isReference(awaited)) {
      const birth = births.get(awaited);
      if (birth !== undefined) return birth;
    }
    return isReference(facts.promise) ? births.get(facts.promise) : undefined;
  }

  /** The frame that made the error, unless it is the one that threw it. */
  #birthFrame(birth: Birth, first: CollectedFrame | undefined): CollectedFrame | undefined {
    const module = this.#modules.findById(birth.id);
    if (module === undefined) return undefined;
    const site = module.site(birth.id);
    if (first?.module === module && first.site?.function === site.function) return undefined;
    if (module.read !== undefined && module.owner(birth.id).kind === "module") {
      const frame = this.#moduleFrame(module, site);
      if (module.evaluating) return frame;
      return { ...frame, note: "made the error here; variables as they are now" };
    }
    return this.#frameAt(module, birth.id, birth.self, birth.locals, {
      kind: "sync",
      note: "made the error here",
    });
  }

  #unwoundFrame(frame: UnwoundFrame): CollectedFrame | undefined {
    const module = this.#modules.findById(frame.id);
    if (module === undefined) return undefined;
    const site = module.site(frame.id);
    return this.#frameAt(module, frame.id, frame.self, frame.locals, {
      kind: site.kind === "await" ? "async" : "sync",
      ...(site.kind === "await" ? { boundary: "await" } : {}),
      ...this.#promiseOf(frame.awaited, site),
    });
  }

  #promiseOf(awaited: unknown, site: Site): { promise?: PromisePlace } {
    if (site.kind !== "await" || !isReference(awaited)) return {};
    const id = this.#runtime.promiseSites.get(awaited) ?? this.#runtime.births.get(awaited)?.id;
    const module = id === undefined ? undefined : this.#modules.findById(id);
    if (id === undefined || module === undefined) return {};
    const made = module.site(id);
    const owner = module.owner(id);
    return {
      promise: {
        file: module.filename,
        line: made.line,
        column: made.column,
        qualname: owner.qualname,
      },
    };
  }

  #frameAt(
    module: LoadedModule,
    id: number,
    self: unknown,
    values: readonly unknown[] | undefined,
    rest: Pick<CollectedFrame, "kind"> & Partial<CollectedFrame>,
  ): CollectedFrame {
    const site = module.site(id);
    const owner = module.owner(id);
    const { locals, handling } = this.#locals(module, id, owner, self, values);
    return {
      file: module.filename,
      qualname: owner.async ? `async ${owner.qualname}` : owner.qualname,
      line: site.line,
      column: site.column,
      firstLine: owner.line,
      isAsync: owner.async,
      locals,
      module,
      site,
      siteId: id,
      ...(handling === undefined ? {} : { handling }),
      ...rest,
    };
  }

  /** In the order of FF 16.3: parameters, inner to outer bindings, `this`, captured, arguments. */
  #locals(
    module: LoadedModule,
    id: number,
    owner: FunctionSite,
    self: unknown,
    values: readonly unknown[] | undefined,
  ): { locals: CollectedLocal[]; handling: { value: unknown } | undefined } {
    const locals: CollectedLocal[] = [];
    const behind: CollectedLocal[] = [];
    let handling: { value: unknown } | undefined;
    if (values !== undefined) {
      for (const { index, local, initialized } of visibleLocals(
        module.tables.sites,
        id - module.base,
      )) {
        const value = values[index];
        if (local.role === "catch") handling ??= { value };
        if (local.name === "") continue;
        const entry: CollectedLocal = initialized
          ? { name: local.name, value }
          : { name: local.name, value: undefined, state: "uninitialized" };
        if (local.role === "closure" || local.role === "arguments") behind.push(entry);
        else locals.push(entry);
      }
    }
    if (self !== undefined && self !== globalThis) locals.push({ name: "this", value: self });
    const captured = this.#captures(
      module,
      owner,
      new Set([...locals, ...behind].map((l) => l.name)),
    );
    return { locals: [...locals, ...captured, ...behind], handling };
  }

  /** The module-level variables that the function's own text mentions. */
  #captures(
    module: LoadedModule,
    owner: FunctionSite,
    taken: ReadonlySet<string>,
  ): CollectedLocal[] {
    if (module.read === undefined) return [];
    const names = module.bindings;
    const captured: CollectedLocal[] = [];
    for (const name of owner.captures) {
      if (captured.length >= MAX_CAPTURES) break;
      if (taken.has(name)) continue;
      const index = names.indexOf(name);
      if (index >= 0) captured.push(readBinding(module, name, index));
    }
    return captured;
  }

  /** Adds what only the stack knows: library functions, and functions without probes. */
  #mergeWithStack(known: readonly CollectedFrame[], stack: string | undefined): CollectedFrame[] {
    if (stack === undefined) return [...known];
    const lines = parseStackLines(stack, "with evals");
    const frames: CollectedFrame[] = [];
    let next = 0;
    const hasMatch = lines.some((line) => findFrame(known, 0, line) >= 0);
    // A stack without any frame of the passage tells of the error's making, not of the throw.
    if (known.length > 0 && !hasMatch) return [...known];
    for (const line of lines) {
      if (line.scriptName.startsWith("node:") || line.scriptName === "") continue;
      if (this.#modules.findByScript(line.scriptName)?.isAltered === true) continue;
      const match = findFrame(known, next, line);
      if (match >= 0) {
        for (let i = next; i <= match; i++) {
          const frame = known[i];
          if (frame === undefined) continue;
          frames.push(
            i === match && isPrecise(frame, line)
              ? { ...frame, ...preciseColumn(frame, line) }
              : frame,
          );
        }
        next = match + 1;
        continue;
      }
      const earlier = findFrame(known.slice(0, next), 0, line) >= 0;
      if (!earlier) frames.push(this.#stackFrame(line));
    }
    frames.push(...known.slice(next));
    return frames;
  }

  #stackFrame(line: StackLine): CollectedFrame {
    const module = this.#modules.findByScript(line.scriptName);
    const problem = module?.problem;
    const isModuleBody = line.name === "" && module?.read !== undefined && problem === undefined;
    if (module !== undefined && isModuleBody) return this.#moduleFrame(module, line);
    const name = line.name === "" ? `<anonymous:${line.line}:${line.column}>` : line.name;
    return {
      file: line.file,
      qualname: `${line.isAsync ? "async " : ""}${line.isConstructor ? "new " : ""}${name}`,
      line: line.line,
      column: line.column,
      firstLine: line.line,
      kind: line.isAsync ? "async" : "sync",
      isAsync: line.isAsync,
      locals: [],
      note:
        problem !== undefined
          ? `not recorded: ${problem}`
          : module === undefined
            ? whyNotRecorded(line)
            : "left without probes",
      ...(problem === undefined ? {} : { inFile: module?.positionInFile(line.line, line.column) }),
    };
  }

  /** The body of an ES module, whose variables are read as they are now. */
  #moduleFrame(module: LoadedModule, line?: Pick<StackLine, "line" | "column">): CollectedFrame {
    const id = currentStatement(module);
    const site = id === undefined ? undefined : module.site(id);
    const names = module.bindings;
    return {
      file: module.filename,
      qualname: "<module>",
      line: line?.line ?? site?.line ?? 1,
      column: line?.column ?? site?.column ?? 1,
      firstLine: 1,
      kind: site?.kind === "await" ? "async" : "sync",
      isAsync: false,
      ...(site?.kind === "await" ? { boundary: "await" } : {}),
      locals: this.#moduleLocals(module, names, id),
      module,
      ...(site === undefined || id === undefined ? {} : { site, siteId: id }),
    };
  }

  /** The bindings that the running statement can see; all of them when it is not known. */
  #moduleLocals(
    module: LoadedModule,
    names: readonly string[],
    id: number | undefined,
  ): CollectedLocal[] {
    if (id === undefined) return names.map((name, index) => readBinding(module, name, index));
    return visibleLocals(module.tables.sites, id - module.base)
      .filter(({ local }) => local.name !== "" && !local.name.startsWith("<"))
      .map(({ index, local, initialized }) =>
        initialized
          ? readBinding(module, local.name, index)
          : { name: local.name, value: undefined, state: "uninitialized" },
      );
  }

  /** The bodies of ES modules that are still running, the one that started last first. */
  #addModuleFrames(frames: CollectedFrame[]): void {
    const running = [...this.#modules]
      .filter((module) => module.evaluating && module.problem === undefined)
      .toReversed();
    for (const module of running) {
      const isThere = frames.some((f) => f.module === module && f.qualname === "<module>");
      if (!isThere) frames.push(this.#moduleFrame(module));
    }
  }

  #addStartingFrames(frames: CollectedFrame[], operation: Operation | undefined): void {
    let added = 0;
    for (let op = operation; op !== undefined && added < MAX_STARTED_FRAMES; op = op.parent) {
      let boundary: string | undefined = op.boundary;
      for (const frame of op.frames) {
        if (added >= MAX_STARTED_FRAMES) break;
        const module = this.#modules.findById(frame.id);
        if (module === undefined || isBodyThere(frames, module, frame.id)) continue;
        const self = readWeakValue(frame.self);
        const values = frame.locals.map(readWeakValue);
        const made = this.#frameAt(
          module,
          frame.id,
          self.value,
          values.map(({ value }) => value),
          { kind: "started-by", ...(boundary === undefined ? {} : { boundary }) },
        );
        frames.push({ ...made, locals: markCollected(made, values, module, frame.id) });
        boundary = undefined;
        added++;
      }
    }
  }
}

/** Probes are written into files: what is made from a text at run time has none. */
function whyNotRecorded({ file }: StackLine): string {
  if (file.startsWith("<eval:")) return "not recorded: code of eval or new Function";
  return isAbsolute(file) ? "not recorded" : "not recorded: code of node:vm";
}

/** A module has one body: when it is a frame already, it is not told again as the starter. */
function isBodyThere(frames: readonly CollectedFrame[], module: LoadedModule, id: number): boolean {
  return (
    module.owner(id).kind === "module" &&
    frames.some((frame) => frame.module === module && frame.qualname === "<module>")
  );
}

/** Weakly held values that are gone are shown as collected. */
function markCollected(
  frame: CollectedFrame,
  values: readonly { collected: boolean }[],
  module: LoadedModule,
  id: number,
): CollectedLocal[] {
  const gone = new Set<string>();
  for (const { index, local } of visibleLocals(module.tables.sites, id - module.base)) {
    if (values[index]?.collected === true) gone.add(local.name);
  }
  return frame.locals.map((local) =>
    gone.has(local.name) ? { name: local.name, value: undefined, state: "collected" } : local,
  );
}

function currentStatement(module: LoadedModule): number | undefined {
  try {
    const id = module.read?.(-1);
    if (typeof id !== "number") return undefined;
    return module.base < id && id <= module.base + module.siteCount ? id : undefined;
  } catch {
    return undefined;
  }
}

function readBinding(module: LoadedModule, name: string, index: number): CollectedLocal {
  try {
    return { name, value: module.read?.(index) };
  } catch {
    return { name, value: undefined, state: "uninitialized" };
  }
}

/**
 * The frame of a line: the next one when the line is anywhere in its function (an error is made
 * on one line and thrown on another), else the first whose statement has the line.
 */
function findFrame(known: readonly CollectedFrame[], next: number, line: StackLine): number {
  const first = known[next];
  if (first !== undefined && isInFunction(first, line)) return next;
  for (let i = next; i < known.length; i++) {
    const frame = known[i];
    if (frame !== undefined && isSameFrame(frame, line)) return i;
  }
  return -1;
}

/** Whether the stack knows the column of a frame better than its statement does. */
function isPrecise(frame: CollectedFrame, line: StackLine): boolean {
  return frame.kind === "sync" && frame.site?.kind !== "throw" && isSameFrame(frame, line);
}

function isInFunction(frame: CollectedFrame, line: StackLine): boolean {
  if (frame.file !== line.file || frame.module === undefined || frame.site === undefined)
    return false;
  const owner = frame.module.owner(frame.module.base + frame.site.function);
  if (line.line < owner.line || line.line > owner.endLine) return false;
  const called = line.name.replace(/ \[as .*\]$/, "");
  if (owner.kind === "module") return called === "";
  if (owner.name === "")
    return called === "" || !/^[\w$.#]+$/.test(called) || called.endsWith("<anonymous>");
  return (
    called === owner.name || called.endsWith(`.${owner.name}`) || called.endsWith(` ${owner.name}`)
  );
}

/** Whether a line of the stack is this frame: same file, inside the function, at the statement. */
function isSameFrame(frame: CollectedFrame, line: StackLine): boolean {
  if (frame.file !== line.file || frame.site === undefined) return false;
  return line.line >= frame.site.line && line.line <= frame.site.endLine;
}

function preciseColumn(frame: CollectedFrame, line: StackLine): { line: number; column: number } {
  const { site } = frame;
  if (site === undefined || site.kind === "await") return frame;
  return { line: line.line, column: line.column };
}
