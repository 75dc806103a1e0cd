/**
 * Knows every instrumented module of this thread, and which module a probe id belongs to.
 *
 * Each module gets a contiguous range of ids when it loads: the one its cached text was written
 * with if nobody has it, so that the text need not be changed. The tables behind an id (sites,
 * positions) are decoded only when somebody asks, which is when something went wrong.
 */
import {
  type FunctionSite,
  type PositionData,
  type Site,
  type SiteTable,
  generatedPosition,
  originalPosition,
  positionOf,
  SITE_KINDS,
  siteAt,
} from "@orangebox/instrument/sites";
import { readUnchangedSource } from "../stack/unchanged-source.ts";

/** What the transformer knew about one module, decoded on demand. */
export interface ModuleTables {
  readonly sites: SiteTable;
  readonly positions: PositionData;
  /** The text that got the probes, where it was not the file's: another loader made it. */
  readonly text?: string;
  /** The source map of `text` as JSON, where the file that was loaded has that of its own text. */
  readonly map?: string;
  /** False when the text that runs was changed after the tables were made. */
  readonly isFinal?: boolean;
}

/** Where the places of a file with probes are without them; all count from 1. */
export interface FilePlaces {
  plain(line: number, column: number): { line: number; column: number };
  inFile(line: number, column: number): { line: number; column: number };
}

/** What is known of a built file whose table cannot be read. */
const NO_TABLES: ModuleTables = {
  sites: {
    version: 1,
    kinds: [],
    owners: [],
    starts: [],
    ends: [],
    lineStarts: [0],
    functions: [],
  },
  positions: {
    version: 1,
    generated: new Uint32Array(1),
    original: new Uint32Array(1),
    generatedLineStarts: new Uint32Array(1),
    originalLineStarts: new Uint32Array(1),
  },
  isFinal: true,
};

/** One instrumented module. */
export class LoadedModule {
  /** Absolute path of the original file, without `file://`. */
  readonly filename: string;
  /** The name V8 knows the script by: a path for CommonJS, a URL for ES modules. */
  readonly scriptName: string;
  readonly format: "module" | "commonjs";
  /** Its text has types, which the program never sees: Node blanks them. */
  readonly isTyped: boolean;
  /** Node runs it without its byte order mark; places count from behind the mark. */
  readonly isUnmarked: boolean;
  /** Ids `base + 1 … base + siteCount` belong to this module. */
  readonly base: number;
  readonly siteCount: number;
  /** Units of the text with probes, as the engine got it. */
  readonly generatedLength: number;
  /** `bytesHash` of the original text as it was when the module loaded. */
  readonly contentHash: string;
  /** The table that a build shipped beside the file; undefined for what got its probes here. */
  readonly tablePath: string | undefined;
  /** Reads a top-level binding of an ES module; -1 is the id of the current statement. */
  read: ((index: number) => unknown) | undefined;
  /** False once an ES module's body has run to its end. */
  evaluating = false;
  readonly #load: () => ModuleTables;
  #tables: ModuleTables | undefined;
  #bindings: readonly string[] | undefined;
  #isAltered: boolean | undefined;
  #problem: string | undefined;
  /** What a built file says of its places by itself. */
  readonly #places: FilePlaces | undefined;

  constructor(fields: {
    filename: string;
    scriptName: string;
    format: "module" | "commonjs";
    isTyped: boolean;
    isUnmarked: boolean;
    base: number;
    siteCount: number;
    generatedLength: number;
    contentHash: string;
    tablePath?: string;
    places?: FilePlaces | undefined;
    load: () => ModuleTables;
  }) {
    this.filename = fields.filename;
    this.scriptName = fields.scriptName;
    this.format = fields.format;
    this.isTyped = fields.isTyped;
    this.isUnmarked = fields.isUnmarked;
    this.base = fields.base;
    this.siteCount = fields.siteCount;
    this.generatedLength = fields.generatedLength;
    this.contentHash = fields.contentHash;
    this.tablePath = fields.tablePath;
    this.#places = fields.places;
    this.#load = fields.load;
  }

  /** Sites and positions; read from the cache on first use. */
  get tables(): ModuleTables {
    return (this.#tables ??= this.#readTables());
  }

  #readTables(): ModuleTables {
    try {
      return this.#load();
    } catch (error) {
      if (this.tablePath === undefined) throw error;
      this.#problem = (error as Error).message;
      return NO_TABLES;
    }
  }

  /** What is wrong with the table that was shipped with a built file: nothing is known of its ids then. */
  get problem(): string | undefined {
    if (this.tablePath !== undefined) this.#tables ??= this.#readTables();
    return this.#problem;
  }

  site(id: number): Site {
    return siteAt(this.tables.sites, id - this.base);
  }

  /** The function, class or module that owns a place. */
  owner(id: number): FunctionSite {
    return siteAt(this.tables.sites, this.site(id).function) as FunctionSite;
  }

  /** The name of a function by its id in the table of this module. */
  qualnameOf(k: number): string {
    const site = siteAt(this.tables.sites, k);
    return "qualname" in site ? site.qualname : "";
  }

  /** Whether it is an ES module whose body failed: without an await of its own, it ran at once. */
  get hasFailed(): boolean {
    if (this.format !== "module" || !this.evaluating || this.problem !== undefined) return false;
    return !hasTopLevelAwait(this.tables.sites);
  }

  /** Line and column of an offset in the original text. */
  positionAt(offset: number): { line: number; column: number } {
    return positionOf(this.tables.sites.lineStarts, offset);
  }

  /** Names of the top-level bindings that `read` answers for, by index. */
  get bindings(): readonly string[] {
    this.#bindings ??= moduleBindings(this.tables.sites);
    return this.#bindings;
  }

  originalPosition(line: number, column: number): { line: number; column: number } {
    if (this.problem !== undefined) return this.#places?.plain(line, column) ?? { line, column };
    if (this.isAltered) return { line, column };
    return originalPosition(this.tables.positions, line, column);
  }

  /** Where a place of a built file's text without probes is in the file; undefined for others. */
  positionInFile(line: number, column: number): { line: number; column: number } | undefined {
    if (this.problem !== undefined) return this.#places?.inFile(line, column);
    if (this.tablePath === undefined || this.isAltered) return undefined;
    return generatedPosition(this.tables.positions, line, column);
  }

  /** Whether somebody changed a built text after it got its probes: places in it mean nothing then. */
  get isAltered(): boolean {
    if (this.tablePath === undefined || this.problem !== undefined) return false;
    this.#isAltered ??=
      this.tables.isFinal !== true ||
      readUnchangedSource(this.filename, this.contentHash) === undefined;
    return this.#isAltered;
  }
}

/** Ids have 28 bits; the upper ones say what an event is. */
export const LAST_ID = 0xfff_ffff;

/**
 * Ids of files that get their probes in a build are larger; those of files that get them when they
 * load are wished to be smaller, so that the two never meet.
 */
export const FIRST_BUILT_ID = 0x800_0000;

interface Place {
  readonly base: number;
  /** Where the module goes among those that are ordered by base. */
  readonly index: number;
}

/** All modules of one thread, by id and by script name. */
export class ModuleRegistry {
  readonly #modules: LoadedModule[] = [];
  /** The same by their ids. */
  readonly #byBase: LoadedModule[] = [];
  readonly #byScript = new Map<string, LoadedModule>();

  /**
   * Reserves `siteCount` ids, those behind `wish` if they are free, and registers the module that
   * `create` makes for them.
   *
   * @returns Undefined when no ids are left.
   */
  add(
    siteCount: number,
    wish: number,
    create: (base: number) => LoadedModule,
  ): LoadedModule | undefined {
    const at = this.#place(siteCount, wish) ?? this.#firstPlace(siteCount);
    return at === undefined ? undefined : this.#put(create(at.base), at);
  }

  /**
   * Registers a module whose ids stand in its text.
   *
   * @returns Undefined when another module has some of them.
   */
  addAt(module: LoadedModule): LoadedModule | undefined {
    const at = this.#place(module.siteCount, module.base);
    return at === undefined ? undefined : this.#put(module, at);
  }

  /** Another name that the engine has for a module: the same text, with the same ids in it. */
  addCopy(scriptName: string, module: LoadedModule): void {
    this.#byScript.set(scriptName, module);
  }

  #put(module: LoadedModule, at: Place): LoadedModule {
    this.#byBase.splice(at.index, 0, module);
    this.#modules.push(module);
    this.#byScript.set(module.scriptName, module);
    return module;
  }

  #place(siteCount: number, base: number): Place | undefined {
    if (base < 0 || base + siteCount > LAST_ID) return undefined;
    const index = this.#countBefore(base);
    const before = this.#byBase[index - 1];
    const behind = this.#byBase[index];
    if (before !== undefined && before.base + before.siteCount > base) return undefined;
    if (behind !== undefined && base + siteCount > behind.base) return undefined;
    return { base, index };
  }

  #firstPlace(siteCount: number): Place | undefined {
    let base = 0;
    for (let index = 0; index <= this.#byBase.length; index++) {
      const behind = this.#byBase[index];
      if (base + siteCount <= (behind?.base ?? LAST_ID)) return { base, index };
      if (behind !== undefined) base = behind.base + behind.siteCount;
    }
    return undefined;
  }

  /** How many modules have a base of at most `base`. */
  #countBefore(base: number): number {
    let low = 0;
    let high = this.#byBase.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#byBase[middle]?.base ?? LAST_ID) <= base) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The module that a probe id belongs to, if it is known what the id means. */
  findById(id: number): LoadedModule | undefined {
    const module = this.findLoaded(id);
    return module?.problem === undefined ? module : undefined;
  }

  /** The module that has a probe id, without a look at its tables. */
  findLoaded(id: number): LoadedModule | undefined {
    const module = this.#byBase[this.#countBefore(id - 1) - 1];
    return module !== undefined && id <= module.base + module.siteCount ? module : undefined;
  }

  /** The module that V8 calls by this name; the last one loaded when there were several. */
  findByScript(scriptName: string): LoadedModule | undefined {
    return this.#byScript.get(scriptName);
  }

  get size(): number {
    return this.#modules.length;
  }

  [Symbol.iterator](): IterableIterator<LoadedModule> {
    return this.#modules[Symbol.iterator]();
  }
}

/** The module is site 1. */
function hasTopLevelAwait({ kinds, owners }: SiteTable): boolean {
  return kinds.some((kind, index) => SITE_KINDS[kind] === "await" && owners[index] === 1);
}

function moduleBindings(sites: SiteTable): readonly string[] {
  for (const { id } of sites.functions) {
    const site = siteAt(sites, id);
    if (site.kind === "module") return (site as FunctionSite).locals.map(({ name }) => name);
  }
  return [];
}
