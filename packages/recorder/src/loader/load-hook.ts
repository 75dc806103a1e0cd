/**
 * The module loader hook: the text of your modules goes through the transformer when they load.
 *
 * A module that cannot be read, parsed or transformed is loaded untouched and noted. On Node
 * before 22.23 an `import` of a CommonJS file through a hook loses `require.cache` and
 * `require.extensions`; there a one-line stand-in sends the load through the CommonJS loader.
 */
import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { dirname, extname, isAbsolute } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { FlightError } from "@orangebox/format";
import type * as Instrument from "@orangebox/instrument";
import { type Instrumented, rebase } from "@orangebox/instrument/sites";
import {
  FIRST_BUILT_ID,
  LoadedModule,
  type ModuleRegistry,
  type ModuleTables,
} from "../runtime/module-registry.ts";
import { ownRequire } from "../runtime/own-require.ts";
import { readUnchangedSource } from "../stack/unchanged-source.ts";
import type { FileFilter } from "./file-filter.ts";
import type { FileLevels } from "./file-levels.ts";
import { installBesideOthers, type OtherLoaders } from "./other-loaders.ts";
import { hasCondition, importsAsTypeScript, resolveTypeScript } from "./resolve-typescript.ts";
import { bytesHash, textHash } from "./text-hash.ts";
import { TsConfigs } from "./tsconfig.ts";
import type { CachedText, CacheEntry, TransformCache } from "./transform-cache.ts";

type Transformer = Pick<typeof Instrument, "instrument">;
type Language = "js" | "jsx" | "ts" | "tsx";
type ModuleFormat = "module" | "commonjs";

/** What the hook needs. */
export interface LoadHookOptions {
  readonly modules: ModuleRegistry;
  readonly filter: FileFilter;
  readonly cache: TransformCache;
  /** The level of a file. */
  readonly levelOf: FileLevels;
  readonly ringMask: number;
  /** Calls a step from a frame that no stack shows. */
  callHidden<Result>(step: () => Result): Result;
  /** Told before `Module.prototype._compile` is replaced. */
  compileIsReplaced(): void;
  /** Runs the transformer: what it calls is the recorder's own doing. */
  whileTransforming<Result>(step: () => Result): Result;
  /** Told once for each module that gets probes. */
  onModule(module: LoadedModule, tables: { path: string | undefined; read(): ModuleTables }): void;
  /** Told when the program loads a module of Node, without `node:`. */
  onBuiltin(id: string): void;
  /** Told about files that stay as they are. */
  onUntouched(filename: string, reason: string): void;
}

/** Why a file is left alone that got its probes when it was built. */
const BUILT = "has probes from its build";
/** What stands in such a file. */
const BUILT_TEXT = /\/\*__ob-built\*\//;

const BYTE_ORDER_MARK = 0xfeff;

const LANGUAGES: Readonly<Record<string, Language>> = {
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  "": "js",
};

/** What Node says of a file that it cannot make JavaScript of, or does not know at all. */
const NODE_REFUSES: ReadonlySet<string> = new Set([
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
  "ERR_INVALID_TYPESCRIPT_SYNTAX",
]);

/**
 * In which order to try when nothing declares the format, as Node does: a text that parses as
 * CommonJS is CommonJS.
 */
const BOTH_FORMATS: readonly ModuleFormat[] = ["commonjs", "module"];

const [nodeMajor = 0, nodeMinor = 0] = process.versions.node.split(".").map(Number);
/** Before 22.23 a CommonJS module that is imported through a hook runs in a reduced wrapper. */
const NEEDS_STAND_IN = nodeMajor === 22 && nodeMinor < 23;

/**
 * Registers the hook for this thread.
 *
 * @returns The undo.
 */
export function installLoadHook(options: LoadHookOptions): () => void {
  const loader = new InstrumentingLoader(options);
  const others = installBesideOthers(
    { load: (url, context, nextLoad) => loader.load(url, context, nextLoad) },
    {
      compiled: (text, filename) => loader.compiled(text, filename),
      callHidden: options.callHidden,
      compileIsReplaced: options.compileIsReplaced,
    },
  );
  loader.others = others;
  return () => {
    loader.uninstall();
    others.uninstall();
  };
}

interface Transformed {
  readonly entry: CacheEntry;
  readonly tables: ModuleTables | undefined;
}

type LoadContext = Parameters<nodeModule.LoadHookSync>[1];
type NextLoad = Parameters<nodeModule.LoadHookSync>[2];
type LoadResult = ReturnType<nodeModule.LoadHookSync>;

/** A text that gets probes, and what it is. */
interface SourceText {
  readonly filename: string;
  /** Bytes where nothing but the cache has to look at it. */
  readonly text: string | Uint8Array;
  readonly language: Language;
  /** Made by another loader: not the text of the file. */
  readonly isMade: boolean;
  /** Node runs it without its byte order mark: its columns count from behind the mark. */
  readonly isUnmarked: boolean;
}

/** A file that is to be loaded. */
interface FoundFile {
  readonly url: string;
  readonly filename: string;
  readonly language: Language;
  readonly context: LoadContext;
}

class InstrumentingLoader {
  readonly #options: LoadHookOptions;
  #transformer: Transformer | undefined;
  /** The program's own loaders; set once they are known. */
  others: Pick<OtherLoaders, "handles" | "mayRewrite" | "registerMore"> | undefined;

  constructor(options: LoadHookOptions) {
    this.#options = options;
  }

  /** The transformer is being loaded or runs: what it loads is not ours to record. */
  #isBusy = false;
  readonly #tsconfigs = new TsConfigs();
  /** Why the last file that was left alone was. */
  #reason: string | undefined;

  load(url: string, context: LoadContext, nextLoad: NextLoad): LoadResult {
    let file: { filename: string; language: Language; isWanted: boolean } | undefined;
    try {
      file = this.#fileOf(url);
    } catch {
      // The program has replaced a built-in by one that fails: it loads the module without us.
    }
    if (file === undefined) return nextLoad(url, context);
    const { filename, language, isWanted } = file;
    const isTyped = language === "ts" || language === "tsx" || language === "jsx";
    if (isTyped && isWanted) {
      return this.#loadTyped({ url, filename, language, context }, nextLoad);
    }
    const loaded = loadNext({ url, filename, context }, nextLoad);
    try {
      const isImport = hasCondition(context.conditions, "import");
      if (loaded.format === "commonjs" && isImport && NEEDS_STAND_IN) {
        return standInFor(filename, loaded);
      }
      if (!isWanted || this.#isForHandler(filename, context, loaded)) return loaded;
      return this.#instrumentLoaded({ url, filename, language }, loaded);
    } catch {
      return loaded;
    }
  }

  /** What a URL names; undefined for what is no file of the program's. */
  #fileOf(url: string): { filename: string; language: Language; isWanted: boolean } | undefined {
    if (url.startsWith("node:")) this.#options.onBuiltin(url.slice("node:".length));
    if (!url.startsWith("file:") || this.#isBusy) return undefined;
    const filename = fileURLToPath(url);
    const language = LANGUAGES[extname(filename)];
    if (language === undefined) return undefined;
    return { filename, language, isWanted: this.#options.filter(filename) };
  }

  #resolver: { deregister(): void } | undefined;

  /** From the first file on that imports as only TypeScript does, imports are looked for so. */
  #resolveAsTypeScript(text: string, filename: string): void {
    if (this.#resolver !== undefined) return;
    if (!importsAsTypeScript(text, filename, this.#tsconfigs)) return;
    const resolve = resolveTypeScript(this.#tsconfigs, this.#options.filter);
    this.#resolver = this.others?.registerMore({ resolve });
  }

  /** Takes out what was registered on the way. */
  uninstall(): void {
    this.#resolver?.deregister();
  }

  /**
   * A handler of the program's will get this text, and change it: only what it makes of it gets
   * probes. An import of a CommonJS file goes to the handler as well, if its text is left alone.
   */
  #isForHandler(filename: string, context: LoadContext, loaded: LoadResult): boolean {
    if (this.others?.handles(filename) !== true) return false;
    const format: string = loaded.format ?? "";
    return (
      hasCondition(context.conditions, "require") ||
      ["", "commonjs", "commonjs-typescript", "typescript"].includes(format)
    );
  }

  /** The text that a handler of the program's has made: what is run instead of it. */
  compiled(text: string, filename: string): string {
    try {
      if (this.#isBusy || !isAbsolute(filename) || !this.#options.filter(filename)) return text;
      const source: SourceText = {
        filename,
        text,
        language: "js",
        isMade: true,
        isUnmarked: false,
      };
      return this.#instrument(filename, source, "commonjs") ?? text;
    } catch {
      return text;
    }
  }

  #instrumentLoaded(
    { url, filename, language }: Omit<FoundFile, "context">,
    loaded: LoadResult,
  ): LoadResult {
    const format = loaded.format ?? undefined;
    if (format !== undefined && format !== "commonjs" && format !== "module") return loaded;
    if (format === "module" && loaded.source instanceof Uint8Array && !this.#mayRewrite()) {
      const bytes: SourceText = {
        filename,
        text: loaded.source,
        language,
        isMade: false,
        isUnmarked: hasMark(loaded.source),
      };
      const code = this.#instrument(url, bytes, format);
      return code === undefined ? loaded : { ...loaded, source: code };
    }
    const text = sourceText(loaded.source);
    if (text === undefined) return loaded;
    const formats: readonly ModuleFormat[] =
      format === "module" ? ["module"] : this.#possibleFormats(filename, text, format);
    const isMade = this.#isMade(filename, text);
    // Another loader leaves no types.
    const source = { filename, text, language: isMade ? "js" : language, isMade };
    // Node decodes bytes without the mark; an ES module that is the main script it loads again.
    const isBytes = typeof loaded.source !== "string";
    const isMarked = !isMade && text.charCodeAt(0) === BYTE_ORDER_MARK;
    for (const candidate of formats) {
      const isReread = candidate === "module" && isMainScript(filename);
      const isUnmarked = isMarked && (isBytes || isReread);
      const code = this.#instrument(url, { ...source, isUnmarked }, candidate);
      if (code !== undefined) return { ...loaded, format: candidate, source: code };
    }
    return loaded;
  }

  #mayRewrite(): boolean {
    return this.others?.mayRewrite() === true;
  }

  /** Whether another loader has made this text of the file's. */
  #isMade(filename: string, text: string): boolean {
    if (!this.#mayRewrite()) return false;
    try {
      return readFileSync(filename, "utf8") !== text;
    } catch {
      return true;
    }
  }

  /**
   * TypeScript and JSX: we erase or transform the types ourselves, unless another loader did.
   *
   * Node before 22.18 knows no TypeScript; it fails, or takes it for JavaScript.
   */
  #loadTyped({ url, filename, language, context }: FoundFile, nextLoad: NextLoad): LoadResult {
    let loaded: LoadResult | undefined;
    let failure: unknown;
    try {
      loaded = loadNext({ url, filename, context }, nextLoad);
    } catch (error) {
      if (!NODE_REFUSES.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
      failure = error;
    }
    let made: LoadResult | undefined;
    try {
      made = this.#instrumentTyped({ url, filename, language, context }, loaded);
    } catch {
      // A built-in that the program has replaced fails: as Node has it, if Node has it.
      return given(loaded, failure);
    }
    if (made !== undefined) return made;
    const reason = this.#reason ?? "it was left alone";
    if (isUnknownToNode(failure) || reason.includes(PRESERVED)) {
      throw cannotCompile(filename, reason, failure);
    }
    return given(loaded, failure);
  }

  /** What is run of a file with types or JSX; undefined when it is left to Node. */
  #instrumentTyped(
    { url, filename, language, context }: FoundFile,
    loaded: LoadResult | undefined,
  ): LoadResult | undefined {
    if (loaded !== undefined && this.#isForHandler(filename, context, loaded)) {
      const isImport = hasCondition(context.conditions, "import");
      return isImport && NEEDS_STAND_IN ? standInFor(filename, loaded) : loaded;
    }
    let text = sourceText(loaded?.source);
    const isErased = loaded?.format === "module" || loaded?.format === "commonjs";
    if (loaded !== undefined && text !== undefined && isErased && this.#isMade(filename, text)) {
      return this.#instrumentLoaded({ url, filename, language: "js" }, loaded);
    }
    text ??= readFileSync(filename, "utf8");
    const declared = declaredFormat(filename);
    this.#resolveAsTypeScript(text, filename);
    const formats: readonly ModuleFormat[] = declared === undefined ? BOTH_FORMATS : [declared];
    const isUnmarked = text.charCodeAt(0) === BYTE_ORDER_MARK;
    const source: SourceText = { filename, text, language, isMade: false, isUnmarked };
    for (const format of formats) {
      const code = this.#instrument(url, source, format);
      if (code === undefined) continue;
      return { format, source: code + sourceUrl(url), shortCircuit: true };
    }
    return undefined;
  }

  #possibleFormats(
    filename: string,
    text: string,
    format: string | undefined,
  ): readonly ModuleFormat[] {
    if (extname(filename) === ".cjs") return ["commonjs"];
    if (!/\b(?:import|export|await)\b/.test(text)) return ["commonjs"];
    const declared = declaredFormat(filename);
    if (declared !== undefined) return [declared];
    return format === undefined || format === "commonjs" ? BOTH_FORMATS : ["commonjs"];
  }

  /** The text to run, registered; undefined when the file is left alone. Never throws. */
  #instrument(url: string, source: SourceText, format: ModuleFormat): string | undefined {
    try {
      return this.#instrumentOrThrow(url, source, format);
    } catch (error) {
      this.#reason = `the recorder failed: ${messageOf(error)}`;
      this.#options.onUntouched(source.filename, this.#reason);
      return undefined;
    }
  }

  #instrumentOrThrow(url: string, source: SourceText, format: ModuleFormat): string | undefined {
    const { filename, text, language, isMade, isUnmarked } = source;
    const { modules, cache, levelOf, ringMask, onModule, onUntouched } = this.#options;
    const level = levelOf(filename);
    const contentHash = typeof text === "string" ? textHash(text) : bytesHash(text);
    const parts = [contentHash, filename, format, language, level, String(ringMask)];
    if (isMade) parts.push("made");
    if (isUnmarked) parts.push("unmarked");
    if (language !== "js") parts.push(JSON.stringify(this.#tsconfigs.of(filename).compiler));
    const key = cache.key(parts);
    let entry = cache.read(key);
    let fresh: ModuleTables | undefined;
    if (entry === undefined) {
      const made = this.#options.whileTransforming(() => this.#transform(source, format));
      entry = made.entry.kind === "text" ? moved(made.entry, wishOf(key, made.entry)) : made.entry;
      fresh = made.tables;
      if (cache.write(key, entry, made.tables)) {
        // On disk now: no need to hold the tables of every module in memory.
        fresh = undefined;
      }
    }
    if (entry.kind === "untouched") {
      this.#reason = entry.reason;
      if (entry.reason !== BUILT) onUntouched(filename, entry.reason);
      return undefined;
    }
    const { code, siteCount } = entry;
    const load = this.#tablesLater(key, fresh, { source, contentHash, format });
    const isTyped = language !== "js";
    const scriptName = format === "module" || isTyped ? pathToFileURL(filename).href : filename;
    const module = modules.add(
      siteCount,
      entry.base,
      (base) =>
        new LoadedModule({
          filename,
          scriptName: format === "module" ? url : scriptName,
          format,
          isTyped: language === "ts" || language === "tsx",
          isUnmarked,
          base,
          siteCount,
          generatedLength: code.length + (language === "js" ? 0 : sourceUrl(url).length),
          contentHash,
          load,
        }),
    );
    if (module === undefined) {
      onUntouched(filename, "the program has more places than a recording can tell apart");
      return undefined;
    }
    onModule(module, { path: fresh === undefined ? cache.tablesPath(key) : undefined, read: load });
    return module.base === entry.base ? code : moved(entry, module.base).code;
  }

  /** Reads the tables of a module when they are asked for; keeps nothing of its text until then. */
  #tablesLater(
    key: string,
    fresh: ModuleTables | undefined,
    {
      source,
      contentHash,
      format,
    }: { source: SourceText; contentHash: string; format: ModuleFormat },
  ): () => ModuleTables {
    const { filename, isMade } = source;
    return () => {
      const cached = fresh ?? this.#options.cache.readTables(key);
      if (cached !== undefined) return cached;
      const text = isMade ? undefined : readUnchangedSource(filename, contentHash);
      const made =
        text === undefined ? undefined : this.#transform({ ...source, text }, format).tables;
      if (made === undefined) throw new Error(`no site table for ${filename}`);
      return made;
    };
  }

  #transform(
    { filename, text: source, language, isMade, isUnmarked }: SourceText,
    format: ModuleFormat,
  ): Transformed {
    const marked = typeof source === "string" ? source : decoder.decode(source);
    const text = isUnmarked ? marked.slice(1) : marked;
    const { levelOf, ringMask } = this.#options;
    const level = levelOf(filename);
    let result: Instrumented | { untouched: string };
    this.#isBusy = true;
    try {
      this.#transformer ??= ownRequire("@orangebox/instrument") as Transformer;
      const compiler = language === "js" ? {} : this.#tsconfigs.of(filename).compiler;
      const options = { filename, format, language, level, ringMask, compiler };
      // If it throws, nothing is kept: the next run may have the stack or the built-ins that it needs.
      result = this.#transformer.instrument(text, options);
    } finally {
      this.#isBusy = false;
    }
    if ("untouched" in result) {
      // It says itself, when it starts, where its tables are.
      if (BUILT_TEXT.test(text)) result = { untouched: BUILT };
      return { entry: { kind: "untouched", reason: result.untouched }, tables: undefined };
    }
    const { code, idOffsets, siteCount, skipped, sites, positions } = result;
    return {
      entry: { kind: "text", code, base: 0, siteCount, idOffsets: () => idOffsets, skipped },
      tables: { sites, positions, ...(isMade ? { text } : {}) },
    };
  }
}

/** Node names a script whose types it erased by its URL. */
function sourceUrl(url: string): string {
  return `\n//# sourceURL=${url}`;
}

/** What a replaced built-in throws may be anything. */
function messageOf(error: unknown): string {
  try {
    return (error as Error).message;
  } catch {
    return "no error was thrown";
  }
}

/** A setting under which JSX stays as it is: there is nothing to run. */
const PRESERVED = '"jsx": "preserve"';

function isUnknownToNode(failure: unknown): boolean {
  return (failure as NodeJS.ErrnoException | undefined)?.code === "ERR_UNKNOWN_FILE_EXTENSION";
}

/** Tells more than Node, which only does not know the ending of the file. */
function cannotCompile(filename: string, reason: string, cause: unknown): FlightError {
  const hint = reason.includes(PRESERVED)
    ? 'Set "jsx" to "react-jsx" in that tsconfig.json, or in one beside the file.'
    : "Correct the file; see docs/configuration.md for what is compiled.";
  const message = `${filename} cannot be run: ${reason}`;
  return new FlightError("FLIGHT_CANNOT_COMPILE", `${message}. ${hint}`, hint, { cause });
}

/** What Node made of a file that we leave alone. */
function given(loaded: LoadResult | undefined, failure: unknown): LoadResult {
  if (loaded === undefined) throw failure;
  return loaded;
}

/** The same text with ids that count from another base. */
function moved(entry: CachedText, base: number): CachedText {
  const { code, idOffsets } = entry;
  return {
    ...entry,
    code: rebase({ code, idOffsets: idOffsets() }, base - entry.base),
    base,
  };
}

/**
 * Where the ids of a text would best begin: far from those of others, and the same in each process.
 *
 * So the cached text is run as it is, and the engine's own code cache knows it.
 */
function wishOf(key: string, { siteCount }: CachedText): number {
  return Number.parseInt(key.slice(0, 7), 16) % Math.max(1, FIRST_BUILT_ID - siteCount);
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function sourceText(source: unknown): string | undefined {
  if (typeof source === "string") return source;
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) {
    return decoder.decode(source);
  }
  return undefined;
}

/** Whether the bytes of a text begin with a byte order mark. */
function hasMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** Whether it is the file that the command line names, while the CommonJS loader tries it. */
function isMainScript(filename: string): boolean {
  return process.mainModule?.filename === filename;
}

/** What the nearest package.json or the file's ending says; undefined when nothing does. */
function declaredFormat(filename: string): ModuleFormat | undefined {
  const ending = extname(filename);
  if (ending === ".mjs" || ending === ".mts") return "module";
  if (ending === ".cjs" || ending === ".cts") return "commonjs";
  const folder = dirname(filename);
  if (!packageFormats.has(folder)) packageFormats.set(folder, readPackageFormat(filename));
  return packageFormats.get(folder);
}

/** By folder: every module of a package would read the same file. */
const packageFormats = new Map<string, ModuleFormat | undefined>();

function readPackageFormat(filename: string): ModuleFormat | undefined {
  try {
    const manifest = nodeModule.findPackageJSON(pathToFileURL(filename));
    if (manifest === undefined) return undefined;
    const { type } = JSON.parse(readFileSync(manifest, "utf8")) as { type?: unknown };
    return type === "module" || type === "commonjs" ? type : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Asks the next hook, and stands in for a result that Node before 22.23 refuses: a CommonJS file
 * without a text, which hooks of `module.register` give when the CommonJS loader is to read it.
 */
function loadNext(
  { url, filename, context }: { url: string; filename: string; context: LoadContext },
  nextLoad: NextLoad,
): LoadResult {
  try {
    return nextLoad(url, context);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isRefused = NEEDS_STAND_IN && code === "ERR_INVALID_RETURN_PROPERTY_VALUE";
    if (!isRefused || !hasCondition(context.conditions, "import")) throw error;
    return { format: "commonjs", source: standIn(filename, ""), shortCircuit: true };
  }
}

/** Sends an import through the CommonJS loader. */
function standInFor(filename: string, loaded: LoadResult): LoadResult {
  const text = sourceText(loaded.source) ?? "";
  if (text.startsWith(STAND_IN)) return loaded;
  return { format: "commonjs", source: standIn(filename, text), shortCircuit: true };
}

/** How a stand-in begins. */
const STAND_IN = "module.exports=/*stand-in*/";

/**
 * A CommonJS text that loads `filename` through the CommonJS loader.
 *
 * The original text behind the `return` never runs; Node reads the names of its exports there.
 */
function standIn(filename: string, text: string): string {
  const body = text.startsWith("#!") ? `//${text}` : text;
  const name = JSON.stringify(filename);
  // The entry that this loader made would otherwise be taken for a circular load.
  const load = `if(m._cache[${name}]===module)delete m._cache[${name}];return m._load(${name},undefined,false)`;
  return `${STAND_IN}(m=>{${load}})(process.getBuiltinModule("module"));return;\n${body}`;
}
