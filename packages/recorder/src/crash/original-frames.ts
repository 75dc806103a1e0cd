/**
 * Says of frames in compiled files what the original text says: names, places, variables.
 *
 * A source map leads to a place in the original. Which function that is, and which variables it
 * can see, is read from the original text itself, with the same tables as if it had been run
 * directly. A variable that the compiler renamed is found by the places where the compiled text
 * mentions it.
 */
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import type * as Instrument from "@orangebox/instrument";
import {
  findMarkers,
  type FunctionSite,
  originalText,
  siteAt,
  type SiteTable,
  visibleLocals,
} from "@orangebox/instrument/sites";
import type { OriginalNames } from "../graph/prototype-facts.ts";
import type { LoadedModule, ModuleRegistry } from "../runtime/module-registry.ts";
import { ownRequire } from "../runtime/own-require.ts";
import type { CollectedFrame, CollectedLocal } from "./collect-frames.ts";
import { openSourceMap, type OpenSourceMap, type OriginalPlace } from "./source-maps.ts";

/** Longest original text that is parsed while the process waits. */
const MAX_ORIGINAL_LENGTH = 1_000_000;
/** Places of a name in the compiled text that are looked up. */
const MAX_MENTIONS = 40;

/** The text of a compiled file as it was loaded. */
export type LoadedText = (frame: CollectedFrame) => string | undefined;

/** What mapping needs. */
interface MappingSources {
  readonly modules: ModuleRegistry;
  /** The text of a function as the engine has it. */
  textWithProbes(value: object): string;
  readonly loadedText: LoadedText;
  /** The text of a module as it was loaded. */
  moduleText(module: LoadedModule): string | undefined;
  /** Asked before each original is parsed; when false the names stay the compiler's. */
  isInTime(): boolean;
}

/** Where the original of a site stands, and the function that it is in. */
export interface OriginalSite {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Its name and first line in the original; undefined where that cannot be read. */
  readonly owner: Pick<FunctionSite, "qualname" | "firstLine"> | undefined;
}

/** What originals say of frames, functions, classes and events. */
export interface MappedFrames {
  readonly frames: readonly CollectedFrame[];
  /** Undefined when no frame was mapped. */
  readonly names: OriginalNames | undefined;
  /** The original of a site by its id; undefined when its file has no map. */
  siteOf(module: LoadedModule, id: number): OriginalSite | undefined;
  /** The original text that a map carries. */
  textOf(file: string): string | undefined;
}

/** Replaces every frame whose file has a readable source map by one of the original. */
export function mapToOriginals(
  frames: readonly CollectedFrame[],
  { modules, textWithProbes, loadedText, moduleText, isInTime }: MappingSources,
): MappedFrames {
  const maps = new Map<string, OpenSourceMap | undefined>();
  const originals = new Map<string, Original | undefined>();
  const originalOf: OriginalOf = (map, file) => {
    if (originals.has(file)) return originals.get(file);
    const text = map.textOf(file) ?? readText(file);
    if (text === undefined || !isInTime()) return undefined;
    const original = openOriginal(file, text);
    originals.set(file, original);
    return original;
  };
  const mapped = frames.map((frame) => {
    if (!maps.has(frame.file)) {
      const text = loadedText(frame);
      maps.set(
        frame.file,
        text === undefined ? undefined : openSourceMap(frame.file, text, frame.module?.tables.map),
      );
    }
    const map = maps.get(frame.file);
    const { line, column } = frame.inFile ?? frame;
    const place = map?.find(line, column);
    if (map === undefined || place === undefined) return frame;
    const text = map.textOf(place.file) ?? readText(place.file);
    return mapFrame(frame, { map, place, text, original: originalOf(map, place.file) });
  });
  const mapOf = (module: LoadedModule): OpenSourceMap | undefined => {
    const { filename, tables } = module;
    if (!maps.has(filename) && isInTime()) {
      const text = moduleText(module);
      maps.set(
        filename,
        text === undefined ? undefined : openSourceMap(filename, text, tables.map),
      );
    }
    return maps.get(filename);
  };
  const isMapped = [...maps.values()].some((map) => map !== undefined);
  return {
    frames: mapped,
    names: isMapped
      ? namesOf({ modules, textWithProbes }, (file) => maps.get(file), originalOf)
      : undefined,
    siteOf: sitesOf(mapOf, originalOf, isInTime),
    textOf: (file) => [...maps.values()].map((map) => map?.textOf(file)).find(isText),
  };
}

function isText(text: string | undefined): text is string {
  return text !== undefined;
}

type OriginalOf = (map: OpenSourceMap, file: string) => Original | undefined;

function sitesOf(
  mapOf: (module: LoadedModule) => OpenSourceMap | undefined,
  originalOf: OriginalOf,
  isInTime: () => boolean,
): MappedFrames["siteOf"] {
  const functions = new Map<number, FunctionSite | undefined>();
  return (module, id) => {
    const map = mapOf(module);
    if (map === undefined) return undefined;
    const site = module.site(id);
    const place = map.find(site.line, site.column);
    if (place === undefined) return undefined;
    const { file, line, column } = place;
    const compiled = module.owner(id);
    if (compiled.kind === "module") {
      return { file, line, column, owner: { qualname: compiled.qualname, firstLine: 1 } };
    }
    const key = module.base + site.function;
    if (!functions.has(key) && isInTime()) {
      functions.set(key, originalFunction(map, compiled, originalOf));
    }
    const owner = functions.get(key);
    // The entry stands where the function begins, which few maps have an entry for.
    if (id === key && owner !== undefined) {
      return { file, line: owner.line, column: owner.column, owner };
    }
    return { file, line, column, owner };
  };
}

/** The function or class of the original that one of the compiled text was made of. */
function originalFunction(
  map: OpenSourceMap,
  compiled: FunctionSite,
  originalOf: OriginalOf,
): FunctionSite | undefined {
  let around: FunctionSite | undefined;
  let last = -1;
  for (let behind = 0; behind < MAX_HEAD; behind++) {
    const place = map.find(compiled.line, compiled.column + behind);
    const original = place === undefined ? undefined : originalOf(map, place.file);
    if (place === undefined || original === undefined) continue;
    const offset = offsetOf(original.sites, place);
    if (offset === last) continue;
    last = offset;
    const site = innermostFunction(original.sites, offset, compiled.kind);
    // An entry for something before its head may belong to the function around it.
    if (site !== undefined && place.isExact) return site;
    around ??= site;
  }
  return around;
}

/** Names that are looked up in one capture; a program may have any number of functions. */
const MAX_NAMES = 2000;
/** Where the name of a class or function may stand behind its beginning, in units. */
const MAX_HEAD = 60;

/** Names functions as their original does, where the name that they have is the compiled text's. */
function namesOf(
  { modules, textWithProbes }: Pick<MappingSources, "modules" | "textWithProbes">,
  mapOf: (file: string) => OpenSourceMap | undefined,
  originalOf: OriginalOf,
): OriginalNames {
  const known = new Map<object, string | undefined>();
  const find = (value: object, name: string): string | undefined => {
    const text = textWithProbes(value);
    const [marker] = findMarkers(text);
    const module = marker === undefined ? undefined : modules.findById(marker);
    const map = module === undefined ? undefined : mapOf(module.filename);
    if (module === undefined || map === undefined) return undefined;
    const range = originalText(module.tables.sites, text, module.base);
    if (range === undefined) return undefined;
    const compiled = siteStarting(module.tables.sites, range);
    if (compiled?.qualname.split(".").at(-1) !== name) return undefined;
    return originalFunction(map, compiled, originalOf)?.qualname.split(".").at(-1);
  };
  return (value, name) => {
    if (!known.has(value) && known.size < MAX_NAMES) {
      try {
        known.set(value, find(value, name));
      } catch {
        known.set(value, undefined);
      }
    }
    return known.get(value);
  };
}

/** The function or class that has exactly this range. */
function siteStarting(
  sites: SiteTable,
  [start, end]: readonly [number, number],
): FunctionSite | undefined {
  for (const { id } of sites.functions) {
    if (sites.starts[id - 1] === start && sites.ends[id - 1] === end) {
      return siteAt(sites, id) as FunctionSite;
    }
  }
  return undefined;
}

/** The smallest function, or class, around an offset. */
function innermostFunction(
  sites: SiteTable,
  offset: number,
  kind: FunctionSite["kind"],
): FunctionSite | undefined {
  let best: FunctionSite | undefined;
  for (const { id } of sites.functions) {
    const start = sites.starts[id - 1] ?? 0;
    const end = sites.ends[id - 1] ?? 0;
    if (offset < start || offset >= end) continue;
    const site = siteAt(sites, id) as FunctionSite;
    if (site.kind !== kind) continue;
    if (best === undefined || end - start < best.end - best.start) best = site;
  }
  return best;
}

interface Mapping {
  readonly map: OpenSourceMap;
  readonly place: OriginalPlace;
  readonly text: string | undefined;
  readonly original: Original | undefined;
}

/** An original text and its tables. */
interface Original {
  readonly text: string;
  readonly sites: SiteTable;
}

function mapFrame(frame: CollectedFrame, mapping: Mapping): CollectedFrame {
  const { map, place, text, original } = mapping;
  const mapped: CollectedFrame = {
    ...frame,
    file: place.file,
    line: place.line,
    column: place.column,
    firstLine: firstLine(frame, map) ?? place.line,
    ...(text === undefined ? {} : { sourceText: text }),
    generated: { file: frame.file, line: frame.line, column: frame.column },
  };
  if (original === undefined) return mapped;
  const k = innermostSite(original.sites, offsetOf(original.sites, place));
  if (k === undefined) return mapped;
  const owner = siteAt(original.sites, siteAt(original.sites, k).function) as FunctionSite;
  return {
    ...mapped,
    qualname: owner.async ? `async ${owner.qualname}` : owner.qualname,
    firstLine: owner.kind === "module" ? 1 : owner.line,
    isAsync: owner.async,
    locals: originalLocals(frame, { ...mapping, original }, { k, owner }),
  };
}

/** A function's first line may begin with blanks that map nowhere. */
function firstLine(frame: CollectedFrame, map: OpenSourceMap): number | undefined {
  for (let column = 1; column <= 80; column++) {
    const found = map.find(frame.firstLine, column);
    if (found !== undefined) return found.line;
  }
  return undefined;
}

/** The variables as a direct run of the original would name and order them. */
function originalLocals(
  frame: CollectedFrame,
  { map, original }: Mapping & { readonly original: Original },
  { k, owner }: { k: number; owner: FunctionSite },
): readonly CollectedLocal[] {
  const visible = visibleLocals(original.sites, k).filter(({ local }) => local.name !== "");
  const bindings = moduleBindings(original.sites);
  const captures = owner.captures.filter((name) => bindings.includes(name));
  const known = new Set([...visible.map(({ local }) => local.name), ...captures, "this"]);
  const values = new Map<string, CollectedLocal>();
  const scopes = scopesOf(frame);
  const sites = frame.module?.tables.sites;
  const renamed: CollectedLocal[] = [];
  for (const local of frame.locals) {
    const scope = scopes.get(local.name);
    const name =
      scope === undefined
        ? local.name
        : (originalName(local.name, scope, { map, original, known, sites }) ?? local.name);
    if (!known.has(name)) continue;
    if (name === local.name) values.set(name, local);
    else renamed.push({ ...local, name });
  }
  // A helper of the compiler may stand at the place of a variable that kept its name.
  for (const local of renamed) if (!values.has(local.name)) values.set(local.name, local);
  const order = [
    ...visible.filter(({ local }) => !isBehind(local.role)).map(({ local }) => local.name),
    "this",
    ...captures,
    ...visible.filter(({ local }) => isBehind(local.role)).map(({ local }) => local.name),
  ];
  return [...new Set(order)].map((name) => values.get(name)).filter((value) => value !== undefined);
}

function isBehind(role: string): boolean {
  return role === "closure" || role === "arguments";
}

/** Where the compiled text may mention a variable. */
interface Scope {
  readonly from: number;
  readonly to: number;
}

function scopesOf(frame: CollectedFrame): ReadonlyMap<string, Scope> {
  const { module, siteId } = frame;
  const scopes = new Map<string, Scope>();
  if (module === undefined || siteId === undefined) return scopes;
  const { sites } = module.tables;
  const whole = { from: 0, to: Number.MAX_SAFE_INTEGER };
  for (const name of module.bindings) scopes.set(name, whole);
  for (const { local } of visibleLocals(sites, siteId - module.base)) {
    const isOuter = local.role === "closure";
    const scope = isOuter ? outerScope(sites, local.name, siteId - module.base) : local;
    scopes.set(local.name, scope === undefined ? whole : { from: scope.from, to: scope.to });
  }
  return scopes;
}

/** The scope of the nearest variable of this name in a function around `k`. */
function outerScope(sites: SiteTable, name: string, k: number): Scope | undefined {
  const at = sites.starts[k - 1] ?? 0;
  let best: Scope | undefined;
  for (const { id, localNames } of sites.functions) {
    const start = sites.starts[id - 1] ?? 0;
    if (!localNames.includes(name) || at < start || at >= (sites.ends[id - 1] ?? 0)) continue;
    for (const { local } of visibleLocals(sites, id)) {
      if (local.name !== name || local.role === "closure") continue;
      if (best === undefined || local.to - local.from < best.to - best.from) best = local;
    }
  }
  return best;
}

/** Where inside of a scope another variable has the same name; the widest first. */
function innerScopes(sites: SiteTable | undefined, name: string, scope: Scope): readonly Scope[] {
  const found: Scope[] = [];
  for (const { id, localNames } of sites?.functions ?? []) {
    if (sites === undefined || !localNames.includes(name)) continue;
    const site = siteAt(sites, id);
    if (!("locals" in site) || site.kind === "module") continue;
    for (const { name: other, role, from, to } of site.locals) {
      if (other !== name || isBehind(role) || from < scope.from || to > scope.to) continue;
      if (to - from < scope.to - scope.from) found.push({ from, to });
    }
  }
  return found.toSorted((a, b) => b.to - b.from - (a.to - a.from));
}

/** What the original calls a variable of the compiled text, if it can see one of that name. */
function originalName(
  name: string,
  scope: Scope,
  {
    map,
    original,
    known,
    sites,
  }: Pick<Mapping, "map"> & {
    original: Original;
    known: Set<string>;
    sites: SiteTable | undefined;
  },
): string | undefined {
  const starts = lineStartsOf(map.text);
  const pattern = new RegExp(`(?<![\\w$.#])${escape(name)}(?![\\w$])`, "g");
  pattern.lastIndex = scope.from;
  const others = innerScopes(sites, name, scope);
  for (let mentions = 0; mentions < MAX_MENTIONS;) {
    const match = pattern.exec(map.text);
    if (match === null || match.index >= scope.to) return undefined;
    // Minifiers call many variables the same: this one is another.
    const other = others.find(({ from, to }) => from <= match.index && match.index < to);
    if (other !== undefined) {
      pattern.lastIndex = Math.max(pattern.lastIndex, other.to);
      continue;
    }
    mentions++;
    const line = lineAt(starts, match.index);
    const place = map.find(line, match.index - (starts[line - 1] ?? 0) + 1);
    if (place === undefined) continue;
    if (place.isExact && place.name !== undefined && known.has(place.name)) return place.name;
    const at = offsetOf(original.sites, place) + place.behind;
    const there = /^[\p{ID_Start}$_][\p{ID_Continue}$]*/u.exec(
      original.text.slice(at, at + 200),
    )?.[0];
    if (there === undefined || !known.has(there)) continue;
    if (place.isExact || there === name) return there;
  }
  return undefined;
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

const lineStarts = new WeakMap<object, readonly number[]>();
const lastText = { text: "" };

/** Offsets of the lines of the text that was asked for last: frames of one file come together. */
function lineStartsOf(text: string): readonly number[] {
  const known = lineStarts.get(lastText);
  if (known !== undefined && lastText.text === text) return known;
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  lastText.text = text;
  lineStarts.set(lastText, starts);
  return starts;
}

/** 1-based. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

function offsetOf(sites: SiteTable, { line, column }: { line: number; column: number }): number {
  return (sites.lineStarts[line - 1] ?? 0) + column - 1;
}

/** The smallest site around an offset; the module's own when nothing else is. */
function innermostSite(sites: SiteTable, offset: number): number | undefined {
  let best: number | undefined;
  let bestLength = Infinity;
  for (let k = 1; k <= sites.kinds.length; k++) {
    const start = sites.starts[k - 1] ?? 0;
    const end = sites.ends[k - 1] ?? 0;
    if (offset < start || offset >= end || end - start > bestLength) continue;
    if (siteAt(sites, k).kind === "class") continue;
    best = k;
    bestLength = end - start;
  }
  return best ?? (sites.kinds.length > 0 ? 1 : undefined);
}

function moduleBindings(sites: SiteTable): readonly string[] {
  for (const { id, localNames } of sites.functions) {
    if (siteAt(sites, id).kind === "module") return localNames;
  }
  return [];
}

const LANGUAGES: Readonly<Record<string, Instrument.Language>> = {
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
};

/** Reads the tables of an original; undefined for other languages and for what cannot be parsed. */
function openOriginal(file: string, text: string): Original | undefined {
  const language = LANGUAGES[extname(file)];
  if (language === undefined || text.length > MAX_ORIGINAL_LENGTH) return undefined;
  const { instrument } = ownRequire("@orangebox/instrument") as Pick<
    typeof Instrument,
    "instrument"
  >;
  for (const format of ["module", "commonjs"] as const) {
    const made = instrument(text, {
      filename: file,
      format,
      language,
      level: "calls",
      ringMask: 0,
    });
    if (!("untouched" in made)) return { text, sites: made.sites };
  }
  return undefined;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
