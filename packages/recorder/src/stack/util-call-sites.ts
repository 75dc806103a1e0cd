/**
 * Gives what `util.getCallSites` answers the positions of the original text.
 *
 * The engine makes these records without `Error.prepareStackTrace`. With `sourceMap: true` Node
 * looks places up itself; only our own frames are taken out then.
 */
import type { ModuleRegistry } from "../runtime/module-registry.ts";
import { isReference, stringStartsWith } from "../runtime/primordials.ts";
import { printAs } from "./function-text.ts";

type Callable = (this: unknown, ...rest: unknown[]) => unknown;

/** One record; the name of the column's field changed between versions, and some have both. */
interface SiteRecord {
  readonly scriptName?: unknown;
  lineNumber?: unknown;
  columnNumber?: unknown;
  column?: unknown;
}

/** The most that Node lets ask for. */
const MAX_COUNT = 200;
/** When its text does not say how many frames there are by default. */
const USUAL_COUNT = 8;

/**
 * Wraps the function in the module `util` of this thread.
 *
 * @param ownPrefixes Script names that begin with one of these belong to the recorder.
 * @returns The undo.
 */
export function installUtilCallSites(
  modules: ModuleRegistry,
  ownPrefixes: readonly string[],
): () => void {
  const util: object = process.getBuiltinModule("node:util");
  const descriptor = Object.getOwnPropertyDescriptor(util, "getCallSites");
  const original: unknown = descriptor?.value;
  if (descriptor?.configurable !== true || typeof original !== "function") return () => undefined;
  const { apply } = Reflect;
  const byDefault = Number(/frameCount = (\d+)/.exec(String(original))?.[1] ?? USUAL_COUNT);
  const wrapper = {
    getCallSites(this: unknown, ...rest: unknown[]): unknown {
      const sites = apply(original as Callable, this, oneMore(rest, byDefault));
      try {
        return Array.isArray(sites)
          ? mapSites(sites, modules, ownPrefixes, takesMaps(rest))
          : sites;
      } catch {
        // Places of the generated text are better than an error of ours.
        return sites;
      }
    },
  }.getCallSites;
  Object.defineProperty(wrapper, "length", { value: original.length, configurable: true });
  printAs(wrapper, original);
  Object.defineProperty(util, "getCallSites", { ...descriptor, value: wrapper });
  return () => {
    if ((util as { getCallSites?: unknown }).getCallSites === wrapper) {
      Object.defineProperty(util, "getCallSites", descriptor);
    }
  };
}

/** Asks for one frame more, for ours; what Node refuses it is to refuse itself. */
function oneMore(rest: unknown[], byDefault: number): unknown[] {
  const [count] = rest;
  if (count === undefined) rest[0] = byDefault + 1;
  else if (typeof count === "number" && count > 0 && count < MAX_COUNT) rest[0] = count + 1;
  else if (isReference(count) && rest[1] === undefined) return [byDefault + 1, count];
  return rest;
}

function takesMaps(rest: readonly unknown[]): boolean {
  const options = isReference(rest[0]) ? rest[0] : rest[1];
  return isReference(options) && (options as { sourceMap?: unknown }).sourceMap === true;
}

function mapSites(
  sites: readonly unknown[],
  modules: ModuleRegistry,
  ownPrefixes: readonly string[],
  isMapped: boolean,
): unknown[] {
  const mapped: unknown[] = [];
  for (let i = 0; i < sites.length; i++) {
    const site = sites[i] as SiteRecord;
    const { scriptName } = site;
    if (typeof scriptName === "string") {
      if (isOwn(scriptName, ownPrefixes)) continue;
      if (!isMapped) mapSite(site, scriptName, modules);
    }
    mapped[mapped.length] = site;
  }
  return mapped;
}

function isOwn(scriptName: string, ownPrefixes: readonly string[]): boolean {
  for (let i = 0; i < ownPrefixes.length; i++) {
    if (stringStartsWith(scriptName, ownPrefixes[i] ?? "")) return true;
  }
  return false;
}

/** The records are made for this call: changing them changes nothing else. */
function mapSite(site: SiteRecord, scriptName: string, modules: ModuleRegistry): void {
  const { lineNumber, columnNumber, column } = site;
  const generatedColumn = typeof columnNumber === "number" ? columnNumber : column;
  const module = modules.findByScript(scriptName);
  if (module === undefined || typeof lineNumber !== "number") return;
  if (typeof generatedColumn !== "number") return;
  const original = module.originalPosition(lineNumber, generatedColumn);
  site.lineNumber = original.line;
  if (columnNumber !== undefined) site.columnNumber = original.column;
  if (column !== undefined) site.column = original.column;
}
