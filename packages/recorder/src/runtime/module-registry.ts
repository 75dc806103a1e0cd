/**
 * Knows every instrumented module of this thread, and which module a probe id belongs to.
 *
 * Each module gets a contiguous range of ids when it loads; the tables behind an id (sites,
 * positions) are decoded only when somebody asks, which is when something went wrong.
 */
import {
  type FunctionSite,
  type PositionData,
  type Site,
  type SiteTable,
  originalPosition,
  siteAt,
} from "@orangebox/instrument/sites";

/** What the transformer knew about one module, decoded on demand. */
export interface ModuleTables {
  readonly sites: SiteTable;
  readonly positions: PositionData;
}

/** One instrumented module. */
export class LoadedModule {
  /** Absolute path of the original file, without `file://`. */
  readonly filename: string;
  /** The name V8 knows the script by: a path for CommonJS, a URL for ES modules. */
  readonly scriptName: string;
  readonly format: "module" | "commonjs";
  /** Its text has types, which the program never sees: Node blanks them. */
  readonly isTyped: boolean;
  /** Ids `base + 1 … base + siteCount` belong to this module. */
  readonly base: number;
  readonly siteCount: number;
  /** `textHash` of the original text as it was when the module loaded. */
  readonly contentHash: string;
  /** Reads a top-level binding of an ES module; -1 is the id of the current statement. */
  read: ((index: number) => unknown) | undefined;
  /** False once an ES module's body has run to its end. */
  evaluating = false;
  readonly #load: () => ModuleTables;
  #tables: ModuleTables | undefined;
  #bindings: readonly string[] | undefined;

  constructor(fields: {
    filename: string;
    scriptName: string;
    format: "module" | "commonjs";
    isTyped: boolean;
    base: number;
    siteCount: number;
    contentHash: string;
    load: () => ModuleTables;
  }) {
    this.filename = fields.filename;
    this.scriptName = fields.scriptName;
    this.format = fields.format;
    this.isTyped = fields.isTyped;
    this.base = fields.base;
    this.siteCount = fields.siteCount;
    this.contentHash = fields.contentHash;
    this.#load = fields.load;
  }

  /** Sites and positions; read from the cache on first use. */
  get tables(): ModuleTables {
    this.#tables ??= this.#load();
    return this.#tables;
  }

  site(id: number): Site {
    return siteAt(this.tables.sites, id - this.base);
  }

  /** The function, class or module that owns a place. */
  owner(id: number): FunctionSite {
    return siteAt(this.tables.sites, this.site(id).function) as FunctionSite;
  }

  /** Names of the top-level bindings that `read` answers for, by index. */
  get bindings(): readonly string[] {
    this.#bindings ??= moduleBindings(this.tables.sites);
    return this.#bindings;
  }

  originalPosition(line: number, column: number): { line: number; column: number } {
    return originalPosition(this.tables.positions, line, column);
  }
}

/** All modules of one thread, by id and by script name. */
export class ModuleRegistry {
  readonly #modules: LoadedModule[] = [];
  readonly #byScript = new Map<string, LoadedModule>();
  #nextBase = 0;

  /** Reserves `siteCount` ids and registers the module that `create` makes for them. */
  add(siteCount: number, create: (base: number) => LoadedModule): LoadedModule {
    const module = create(this.#nextBase);
    this.#nextBase += siteCount;
    this.#modules.push(module);
    this.#byScript.set(module.scriptName, module);
    return module;
  }

  /** The module that a probe id belongs to. */
  findById(id: number): LoadedModule | undefined {
    let low = 0;
    let high = this.#modules.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const module = this.#modules[middle];
      if (module === undefined) return undefined;
      if (id <= module.base) high = middle - 1;
      else if (id > module.base + module.siteCount) low = middle + 1;
      else return module;
    }
    return undefined;
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

function moduleBindings(sites: SiteTable): readonly string[] {
  for (const { id } of sites.functions) {
    const site = siteAt(sites, id);
    if (site.kind === "module") return (site as FunctionSite).locals.map(({ name }) => name);
  }
  return [];
}
