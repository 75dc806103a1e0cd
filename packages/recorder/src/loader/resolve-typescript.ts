/**
 * Finds what TypeScript imports and Node does not: files without an ending, `.js` for `.ts`, folders,
 * `paths` and `baseUrl` of `tsconfig.json`, JSON without an attribute.
 *
 * Asked only after Node, or the program's own loaders, found nothing, and only for imports in
 * TypeScript and JSX of the program's own: what Node resolves stays as it is.
 */
import { readFileSync, statSync } from "node:fs";
import type { ResolveHookSync } from "node:module";
import types from "node:util/types";
import { dirname, extname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { PathMapping, TsConfigs } from "./tsconfig.ts";

/** What Node says of an import that leads nowhere. */
const NOT_FOUND: ReadonlySet<string> = new Set([
  "ERR_MODULE_NOT_FOUND",
  "ERR_UNSUPPORTED_DIR_IMPORT",
  "MODULE_NOT_FOUND",
  "ERR_PACKAGE_IMPORT_NOT_DEFINED",
]);

const TYPED = /\.(?:[cm]?ts|[jt]sx)$/;

/** Endings that are tried where there is none, in tsx's order. */
const ENDINGS = [".ts", ".tsx", ".jsx", ".js", ".mts", ".mjs", ".cts", ".cjs", ".json"];

/** What an ending of JavaScript may stand for. */
const COMPILED_FROM: Readonly<Record<string, readonly string[] | undefined>> = {
  ".js": [".ts", ".tsx", ".jsx"],
  ".jsx": [".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
};

/** Runs as nothing: stands for a file that has only types. */
const EMPTY_MODULE = "data:text/javascript,";

type Context = Parameters<ResolveHookSync>[1];
type Found = ReturnType<ResolveHookSync>;

/** Makes the hook. @param isWanted [whether a file is the program's own] */
export function resolveTypeScript(
  tsconfigs: TsConfigs,
  isWanted: (filename: string) => boolean,
): ResolveHookSync {
  return (specifier, context, nextResolve) => {
    const parent = typedParent(context, isWanted);
    if (parent === undefined) return nextResolve(specifier, context);
    let found: Found;
    try {
      found = nextResolve(specifier, context);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const path = NOT_FOUND.has(code ?? "") ? find(specifier, parent, tsconfigs) : undefined;
      if (path === undefined) throw error;
      const isImport = !isRequire(context);
      if (path.endsWith(".d.ts")) {
        // Nothing but types: there is nothing to run.
        if (!isImport) throw error;
        return { url: EMPTY_MODULE, format: "module", shortCircuit: true };
      }
      found = nextResolve(isImport ? pathToFileURL(path).href : path, context);
    }
    return withJsonAttribute(found, context);
  };
}

/** What imports and calls of `require` name in a text, roughly: comments and texts count too. */
const SPECIFIERS = /(?:\bfrom|\bimport|\b(?:import|require)\s*\()\s*(?:"([^"\n]+)"|'([^'\n]+)')/g;

/** Endings that Node finds as they stand. */
const PLAIN_ENDING = /\.(?:[cm]?ts|tsx|node|wasm)$/;

/** How many specifiers of a text are looked at. */
const MAX_SPECIFIERS = 1000;

/**
 * Whether a text imports something that only TypeScript finds.
 *
 * Only such programs get the hook: it would show in the stack of an import that is not found.
 */
export function importsAsTypeScript(text: string, filename: string, tsconfigs: TsConfigs): boolean {
  let count = 0;
  for (const [whole, double, single] of text.matchAll(SPECIFIERS)) {
    if (++count > MAX_SPECIFIERS) return false;
    const specifier = double ?? single ?? "";
    if (
      specifier.startsWith("node:") ||
      (specifier.startsWith(".") && PLAIN_ENDING.test(specifier))
    ) {
      continue;
    }
    if (
      specifier.endsWith(".json") &&
      /^(?:from|import)$/.test(whole.split(/["'(\s]/, 1)[0] ?? "")
    ) {
      return true;
    }
    if (find(specifier, filename, tsconfigs) !== undefined) return true;
  }
  return false;
}

function typedParent(
  { parentURL }: Context,
  isWanted: (filename: string) => boolean,
): string | undefined {
  if (parentURL === undefined || !parentURL.startsWith("file:")) return undefined;
  try {
    // A loader of the program's may have put a query behind it.
    const filename = fileURLToPath(parentURL.replace(/[?#].*$/, ""));
    return TYPED.test(filename) && isWanted(filename) ? filename : undefined;
  } catch {
    return undefined;
  }
}

function isRequire({ conditions }: Context): boolean {
  return hasCondition(conditions, "require");
}

/** Node hands conditions on as a list, or as a set of its own, which is no instance of `Set`. */
export function hasCondition(conditions: unknown, name: string): boolean {
  if (Array.isArray(conditions)) return conditions.includes(name);
  return types.isSet(conditions) && apply(has, conditions, [name]);
}

const { apply } = Reflect;
const { has } = Set.prototype;

/** Node wants `with { type: "json" }`; TypeScript does not. */
function withJsonAttribute(found: Found, context: Context): Found {
  const isJson = found.url.startsWith("file:") && found.url.endsWith(".json");
  if (!isJson || isRequire(context) || "type" in context.importAttributes) return found;
  return { ...found, importAttributes: { ...context.importAttributes, type: "json" } };
}

/** Never throws. */
function find(specifier: string, parent: string, tsconfigs: TsConfigs): string | undefined {
  try {
    return lookFor(specifier, parent, tsconfigs);
  } catch {
    // A specifier that is no path, as `%zz` or a URL of another machine.
    return undefined;
  }
}

function lookFor(specifier: string, parent: string, tsconfigs: TsConfigs): string | undefined {
  const [path = "", query = ""] = specifier.split(/(?=[?#])/, 2);
  if (query !== "" && !path.startsWith(".")) return undefined;
  const file = fileOf(path, parent);
  if (file !== undefined) return isFile(file) ? undefined : probe(file);
  if (path.startsWith("node:")) return undefined;
  const { paths, baseUrl } = tsconfigs.of(parent);
  for (const candidate of mapped(path, paths)) {
    const found = probe(candidate);
    if (found !== undefined) return found;
  }
  return baseUrl === undefined ? undefined : probe(join(baseUrl, path));
}

/** The absolute path that a specifier says, if it says one. */
function fileOf(specifier: string, parent: string): string | undefined {
  if (specifier.startsWith("file:")) return fileURLToPath(specifier);
  if (isAbsolute(specifier)) return specifier;
  if (!/^\.\.?(?:\/|$)/.test(specifier)) return undefined;
  return (
    resolve(dirname(parent), decodeURIComponent(specifier)) + (specifier.endsWith("/") ? "/" : "")
  );
}

/** Where `paths` says that a specifier may be: an exact pattern first, then the longest beginning. */
function mapped(specifier: string, paths: readonly PathMapping[]): string[] {
  const exact = paths.find(({ pattern }) => pattern === specifier);
  if (exact !== undefined) return [...exact.targets];
  let best:
    | { readonly mapping: PathMapping; readonly star: string; readonly size: number }
    | undefined;
  for (const mapping of paths) {
    const [before = "", after] = mapping.pattern.split("*");
    if (after === undefined || specifier.length < before.length + after.length) continue;
    if (!specifier.startsWith(before) || !specifier.endsWith(after)) continue;
    const star = specifier.slice(before.length, specifier.length - after.length);
    if (best === undefined || before.length > best.size)
      best = { mapping, star, size: before.length };
  }
  return best?.mapping.targets.map((target) => target.replace("*", () => best.star)) ?? [];
}

/** The file that a path without an ending, with another one, or of a folder means. */
function probe(path: string): string | undefined {
  if (!path.endsWith("/")) {
    if (isFile(path)) return path;
    const ending = extname(path);
    const stem = path.slice(0, path.length - ending.length);
    for (const other of COMPILED_FROM[ending] ?? []) {
      if (isFile(stem + other)) return stem + other;
    }
    for (const added of ENDINGS) if (isFile(path + added)) return path + added;
    const declared = [`${path}.d.ts`, `${stem}.d.ts`].find(isFile);
    if (declared !== undefined) return declared;
  }
  const main = mainOf(path);
  if (main !== undefined) {
    const found = isFile(main) ? main : ENDINGS.map((added) => main + added).find(isFile);
    if (found !== undefined) return found;
  }
  return ENDINGS.map((added) => join(path, `index${added}`)).find(isFile);
}

/** What the package.json of a folder names. */
function mainOf(folder: string): string | undefined {
  try {
    const { main } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      main?: unknown;
    };
    return typeof main === "string" ? join(folder, main) : undefined;
  } catch {
    return undefined;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
