/**
 * Reads what a `tsconfig.json` says about a file: the nearest one, with all that it extends.
 *
 * JSON with comments and trailing commas; nothing is run. A configuration that cannot be read or
 * makes no sense counts as empty: the file then runs as it does without one. Of a configuration
 * with `references` and no files of its own, the first project that includes the file counts.
 */
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { CompilerSettings } from "@orangebox/instrument/sites";
import { globToPattern } from "./file-filter.ts";

/** A mapping of `paths`: what a specifier looks like and where the file may be. */
export interface PathMapping {
  readonly pattern: string;
  /** Absolute; each may hold one `*`. */
  readonly targets: readonly string[];
}

/** What counts of a configuration. */
export interface TsConfig {
  /** Undefined when there is none. */
  readonly file: string | undefined;
  readonly compiler: CompilerSettings;
  /** Absolute; undefined when none is set. */
  readonly baseUrl: string | undefined;
  readonly paths: readonly PathMapping[];
}

const NOTHING: TsConfig = { file: undefined, compiler: {}, baseUrl: undefined, paths: [] };

/** Configurations that extend each other in a longer chain are not followed. */
const MAX_CHAIN = 32;
const MAX_REFERENCES = 64;
const MAX_FILE_BYTES = 1 << 20;

/** Targets whose output has class fields as the standard defines them. */
const DEFINES_FIELDS = /^es(?:2022|202[3-9]|20[3-9]\d|next)$/i;

type Options = Readonly<Record<string, unknown>>;

/** A configuration with everything that it extends. */
interface Whole {
  readonly file: string;
  readonly options: Options;
  /** Folders of the files that say `paths` and `baseUrl`. */
  readonly pathsFolder: string | undefined;
  readonly baseUrl: string | undefined;
  readonly include: readonly string[] | undefined;
  readonly files: readonly string[] | undefined;
  readonly references: readonly string[];
}

/** Answers for files; remembers what it read. */
export class TsConfigs {
  readonly #nearest = new Map<string, string | undefined>();
  readonly #whole = new Map<string, Whole | undefined>();
  readonly #settings = new Map<string, TsConfig>();

  /** What counts for a file; nothing for the files of installed packages. Never throws. */
  of(filename: string): TsConfig {
    try {
      if (filename.includes(`${sep}node_modules${sep}`)) return NOTHING;
      const file = this.#find(dirname(filename));
      const whole = file === undefined ? undefined : this.#project(file, filename);
      if (whole === undefined) return NOTHING;
      let settings = this.#settings.get(whole.file);
      if (settings === undefined) {
        settings = settingsOf(whole);
        this.#settings.set(whole.file, settings);
      }
      return settings;
    } catch {
      return NOTHING;
    }
  }

  #find(folder: string): string | undefined {
    if (this.#nearest.has(folder)) return this.#nearest.get(folder);
    const candidate = join(folder, "tsconfig.json");
    const parent = dirname(folder);
    const found = isFile(candidate)
      ? candidate
      : parent === folder
        ? undefined
        : this.#find(parent);
    this.#nearest.set(folder, found);
    return found;
  }

  /** The configuration itself, or the referenced project that the file belongs to. */
  #project(file: string, filename: string): Whole | undefined {
    const whole = this.#load(file, 0);
    if (whole === undefined || whole.references.length === 0) return whole;
    if (whole.files?.length !== 0 || whole.include !== undefined) return whole;
    for (const reference of whole.references.slice(0, MAX_REFERENCES)) {
      const project = this.#load(reference, 0);
      if (project !== undefined && includes(project, filename)) return project;
    }
    return whole;
  }

  #load(file: string, depth: number): Whole | undefined {
    // Read once, however many extend it: lists that name each other would multiply.
    if (this.#whole.has(file)) return this.#whole.get(file);
    if (depth > MAX_CHAIN) return undefined;
    // What extends itself finds nothing here yet.
    this.#whole.set(file, undefined);
    const json = readJson(file);
    const whole = json === undefined ? undefined : this.#merge(file, json, depth);
    this.#whole.set(file, whole);
    return whole;
  }

  #merge(file: string, json: Options, depth: number): Whole {
    const folder = dirname(file);
    const own = isObject(json["compilerOptions"]) ? json["compilerOptions"] : {};
    let options: Options = {};
    let pathsFolder: string | undefined;
    let baseUrl: string | undefined;
    let include: readonly string[] | undefined;
    for (const name of texts(json["extends"])) {
      const parentFile = resolveExtended(name, file);
      const parent = parentFile === undefined ? undefined : this.#load(parentFile, depth + 1);
      if (parent === undefined) continue;
      options = { ...options, ...parent.options };
      pathsFolder = parent.pathsFolder ?? pathsFolder;
      baseUrl = parent.baseUrl ?? baseUrl;
      include = parent.include ?? include;
    }
    if (own["paths"] !== undefined) pathsFolder = folder;
    if (typeof own["baseUrl"] === "string") {
      baseUrl = resolve(folder, own["baseUrl"].replace(CONFIG_FOLDER, folder));
    }
    const references = Array.isArray(json["references"]) ? (json["references"] as unknown[]) : [];
    return {
      file,
      options: { ...options, ...own },
      pathsFolder,
      baseUrl,
      include: Array.isArray(json["include"])
        ? texts(json["include"]).map((glob) => resolve(folder, glob))
        : include,
      files: Array.isArray(json["files"])
        ? texts(json["files"]).map((name) => resolve(folder, name))
        : undefined,
      references: references.flatMap((reference) => {
        const path = isObject(reference) ? reference["path"] : undefined;
        if (typeof path !== "string") return [];
        const target = resolve(folder, path);
        return [isFile(target) ? target : join(target, "tsconfig.json")];
      }),
    };
  }
}

/** Stands for the folder of the configuration that is asked for. */
const CONFIG_FOLDER = /^\$\{configDir\}/;

function settingsOf({ file, options, pathsFolder, baseUrl }: Whole): TsConfig {
  const folder = dirname(file);
  const base = baseUrl ?? pathsFolder ?? folder;
  const paths: PathMapping[] = [];
  if (isObject(options["paths"])) {
    for (const [pattern, targets] of Object.entries(options["paths"])) {
      paths.push({
        pattern,
        targets: texts(targets).map((target) =>
          resolve(base, target.replace(CONFIG_FOLDER, folder)),
        ),
      });
    }
  }
  return { file, compiler: compilerSettings(options), baseUrl, paths };
}

function compilerSettings(options: Options): CompilerSettings {
  const isTrue = (name: string): boolean => options[name] === true;
  const target = options["target"];
  const defines =
    options["useDefineForClassFields"] ??
    (typeof target === "string" ? DEFINES_FIELDS.test(target) : undefined);
  const jsx =
    typeof options["jsx"] === "string" ? JSX_MODES[options["jsx"].toLowerCase()] : undefined;
  const names: { -readonly [Key in keyof CompilerSettings]: CompilerSettings[Key] } = {};
  for (const name of ["jsxFactory", "jsxFragmentFactory", "jsxImportSource"] as const) {
    const value = options[name];
    if (typeof value === "string" && value !== "") names[name] = value;
  }
  return {
    ...(isTrue("experimentalDecorators") ? { experimentalDecorators: true } : {}),
    ...(isTrue("emitDecoratorMetadata") ? { emitDecoratorMetadata: true } : {}),
    ...((options["strictNullChecks"] ?? options["strict"]) === false
      ? { strictNullChecks: false }
      : {}),
    ...(defines === false ? { useDefineForClassFields: false } : {}),
    ...(isTrue("verbatimModuleSyntax") || isTrue("preserveValueImports")
      ? { verbatimModuleSyntax: true }
      : {}),
    ...(jsx === undefined ? {} : { jsx }),
    ...names,
  };
}

const JSX_MODES: Readonly<Record<string, NonNullable<CompilerSettings["jsx"]> | undefined>> = {
  react: "react",
  "react-jsx": "react-jsx",
  "react-jsxdev": "react-jsxdev",
  preserve: "preserve",
  "react-native": "preserve",
};

/** Whether a project says that a file is one of its own. */
function includes({ file, include, files }: Whole, filename: string): boolean {
  if (files?.includes(filename) === true) return true;
  if (include === undefined && files !== undefined) return false;
  const globs = include ?? [dirname(file)];
  return globs.some((glob) => {
    const isFolder = !/[*?]|\.[cm]?[jt]sx?$/.test(glob);
    return globToPattern(isFolder ? `${glob}/**` : glob, "/").test(filename);
  });
}

/** The file that `extends` names; as TypeScript finds it. */
function resolveExtended(name: string, from: string): string | undefined {
  const isPath = isAbsolute(name) || /^\.\.?(?:[\\/]|$)/.test(name);
  if (isPath) {
    const path = resolve(dirname(from), name);
    return [path, `${path}.json`, join(path, "tsconfig.json")].find(isFile);
  }
  const require = createRequire(from);
  for (const candidate of [name, `${name}.json`, `${name}/tsconfig.json`]) {
    try {
      const path = require.resolve(candidate);
      if (path.endsWith(".json")) return path;
    } catch {
      // Not under this name.
    }
  }
  // A package that has `exports`, or none that is JSON.
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const path = join(folder, "node_modules", name);
    const found = [path, `${path}.json`, join(path, "tsconfig.json")].find(isFile);
    if (found !== undefined) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function readJson(file: string): Options | undefined {
  try {
    if (statSync(file).size > MAX_FILE_BYTES) return undefined;
    const value: unknown = JSON.parse(withoutComments(readFileSync(file, "utf8")));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Takes comments, a byte order mark and commas before a closing bracket out of a text. */
export function withoutComments(text: string): string {
  const tokens =
    /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*[}\]])/g;
  const plain = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return plain.replaceAll(tokens, (token) => (token.startsWith('"') ? token : " "));
}

function texts(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((entry): entry is string => typeof entry === "string");
}

function isObject(value: unknown): value is Options {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
