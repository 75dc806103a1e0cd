/**
 * The shapes that `instrument` gives back and that its readers take.
 *
 * Everything here is plain data: it is cached on disk by content hash and written into side
 * files, so it holds numbers, strings, booleans and arrays of them (typed arrays in positions).
 */

/** How the module system will evaluate the text. */
export type ModuleFormat = "module" | "commonjs";

/** The grammar the text is written in. */
export type Language = "js" | "jsx" | "ts" | "tsx";

/** How many probes to write: functions, statements too, or every write too. */
export type Level = "calls" | "lines" | "writes";

/** What a `tsconfig.json` says about the text that is made; what is missing has a default. */
export interface CompilerSettings {
  /** False: decorators are those of the standard. */
  readonly experimentalDecorators?: boolean;
  readonly emitDecoratorMetadata?: boolean;
  /** True unless it is false. */
  readonly strictNullChecks?: boolean;
  /** False: fields are assigned. Only looked at where a text has to be compiled. */
  readonly useDefineForClassFields?: boolean;
  /** Imports of names that are only used as types stay. */
  readonly verbatimModuleSyntax?: boolean;
  readonly jsx?: "react" | "react-jsx" | "react-jsxdev" | "preserve";
  readonly jsxFactory?: string;
  readonly jsxFragmentFactory?: string;
  readonly jsxImportSource?: string;
}

/** What `instrument` has to know about a text. */
export interface InstrumentOptions {
  /** Only used in messages of the parser and in source maps. */
  readonly filename: string;
  readonly format: ModuleFormat;
  readonly language: Language;
  readonly level: Level;
  /**
   * Number of slots of the ring minus one; the number of slots is a power of two. Texts that are made
   * ahead read it from `__obM` when they start.
   */
  readonly ringMask: RingMask;
  /**
   * The level of the function at an offset, at most `level`; undefined leaves the function alone,
   * but not those inside of it. Default: `level` everywhere.
   */
  readonly levelAt?: ((start: number, end: number) => Level | undefined) | undefined;
  readonly compiler?: CompilerSettings;
}

/** See {@link InstrumentOptions.ringMask}. */
export type RingMask = number | "at runtime";

/** A function that got no probes, and why. Line and column count from 1, in the original. */
export interface SkippedFunction {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

/** A text with probes. Ids in `code` count from 0; `rebase` makes them unique in a process. */
export interface Instrumented {
  readonly code: string;
  /** Where in `code` the 8 hexadecimal digits of each id begin, ascending. */
  readonly idOffsets: Uint32Array;
  /** Ids 1 to `siteCount` are used. */
  readonly siteCount: number;
  readonly sites: SiteTable;
  readonly positions: PositionData;
  /** Indexes of runs in `positions` that are shown at a place where they do not stand. */
  readonly borrowed: readonly number[];
  readonly skipped: readonly SkippedFunction[];
}

/** The whole text stays as it is; `untouched` says why. */
export interface Untouched {
  readonly untouched: string;
}

/** What a place in the text is. `class` exists so that `String(SomeClass)` can be answered. */
export type SiteKind =
  | "function"
  | "statement"
  | "await"
  | "yield"
  | "throw"
  | "catch"
  | "birth"
  | "module"
  | "class"
  | "write";

/** A place in the original text that an event, an error or a frame can name. */
export interface Site {
  readonly kind: SiteKind;
  /** Id of the function (or module) that owns the place; its own id for a function. */
  readonly function: number;
  /** UTF-16 offsets into the original text. */
  readonly start: number;
  readonly end: number;
  /** Where `start` is; both count from 1. */
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
}

/** A site that owns other sites: a function, a class or the module. */
export interface FunctionSite extends Site {
  readonly kind: "function" | "module" | "class";
  /** FF 16.2: `outer.inner`, `Class.method`, `new Class`, `<anonymous:12:5>`, `<module>` … */
  readonly qualname: string;
  /** The name in the text, or the empty string. */
  readonly name: string;
  readonly async: boolean;
  readonly generator: boolean;
  readonly arrow: boolean;
  /** Line of the function's first token. */
  readonly firstLine: number;
  /** In the order of the array that the probe passes; for a module, of its reader's indexes. */
  readonly locals: readonly Local[];
  /** Names of module-level bindings that the function's own text mentions. */
  readonly captures: readonly string[];
  /** Length of the function's text in `code`, in UTF-16 units. */
  readonly generatedLength: number;
}

/** What a local is. `closure` belongs to an outer function. */
export type LocalRole =
  | "parameter"
  | "variable"
  | "function"
  | "class"
  | "catch"
  | "closure"
  | "arguments";

/** A name that a probe passes a value for. */
export interface Local {
  /** `<catch>` for the error of a `catch` without a binding. */
  readonly name: string;
  readonly role: LocalRole;
  /** Scope of the binding: original offsets, `to` excluded. */
  readonly from: number;
  readonly to: number;
  /** Initialised once the current statement starts at or behind this offset; 0 = always. */
  readonly declared: number;
  /** Nesting of the scope, for innermost-first order; parameters have 0. */
  readonly depth: number;
}

/** A local that can be seen from a statement. */
export interface VisibleLocal {
  /** Index into the array that the probe passed. */
  readonly index: number;
  readonly local: Local;
  readonly initialized: boolean;
}

/** Packed form of all sites; decode with `siteAt`. Column `i` describes id `i + 1`. */
export interface SiteTable {
  readonly version: 1;
  /** Index into the kinds of `SITE_KINDS`. */
  readonly kinds: readonly number[];
  readonly owners: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Offsets of the first unit of each line of the original. */
  readonly lineStarts: readonly number[];
  readonly functions: readonly PackedFunction[];
  /** Only at level `writes`. */
  readonly writes?: PackedWrites;
}

/** What a write does: binds a variable, sets a property, or calls a method that changes its owner. */
export type WriteKind = "local" | "property" | "method";

/** A place that writes; decode with `writeAt`. */
export interface WriteSite {
  readonly kind: WriteKind;
  /** The variable, or the text of the owner as it stands in the source: `this`, `a.b`. */
  readonly name: string;
  /** The property where it stands in the text; undefined where it is computed, and for variables. */
  readonly key: string | undefined;
  /** `=`, `+=`, `++`, `let`, `const`, `var`, `using`, `param`, `catch`, `for`, `field`, `delete`, `push` … */
  readonly operator: string;
  /** Id of the function (or module) that owns the variable; of the one that writes otherwise. */
  readonly owner: number;
}

/** Packed form of the places that write; columns, ascending by id. */
export interface PackedWrites {
  readonly ids: readonly number[];
  readonly kinds: readonly number[];
  /** Indexes into `texts`. */
  readonly names: readonly number[];
  /** Indexes into `texts`, or -1. */
  readonly keys: readonly number[];
  /** Indexes into `texts`. */
  readonly operators: readonly number[];
  readonly owners: readonly number[];
  readonly texts: readonly string[];
}

/** Packed form of a function site. */
export interface PackedFunction {
  readonly id: number;
  readonly qualname: string;
  readonly name: string;
  /** 1 async, 2 generator, 4 arrow. */
  readonly flags: number;
  readonly generatedLength: number;
  readonly localNames: readonly string[];
  /** Five for each local: role, from, to, declared, depth. */
  readonly localNumbers: readonly number[];
  readonly captures: readonly string[];
}

/** Maps offsets of `code` to the original; read with `originalPosition`. */
export interface PositionData {
  readonly version: 1;
  /** Ascending starts of segments in `code` … */
  readonly generated: Uint32Array;
  /** … and where the same unit stands in the original (or in the compiled text, with `map`). */
  readonly original: Uint32Array;
  readonly generatedLineStarts: Uint32Array;
  readonly originalLineStarts: Uint32Array;
  /** For text that was compiled first: compiled offset to original offset, same search. */
  readonly map?: { readonly compiled: Uint32Array; readonly original: Uint32Array };
}

/** A place that counts from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}
