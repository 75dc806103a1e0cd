/**
 * Works out the configuration from code, environment, file and defaults, in this order of weight.
 *
 * `resolveConfig` throws for the first mistake, for callers who can be told; `resolveConfigSafely`
 * never does, since a mistake in a configuration must not stop the recorded program.
 */
import { homedir, tmpdir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { FlightError, isFlightError, parseAgeRecipient } from "@orangebox/format";
import { parseLevelFor } from "../loader/file-levels.ts";
import { type ConfigFile, loadConfigFile, readTextFile, type ReadText } from "./config-file.ts";
import { nearestName } from "./nearest-name.ts";
import { OPTIONS, type OptionEntry, OTHER_VARIABLES } from "./options.ts";

/** How many probes a module gets. */
type Level = "calls" | "lines" | "writes";

/** Everything that can be set, complete and valid. Meanings: docs/configuration.md. */
export interface Config {
  readonly enabled: boolean;
  readonly level: Level;
  /** Texts as `src/cart/**=writes`. */
  readonly levelFor: readonly string[];
  readonly include: readonly string[];
  readonly includePackages: readonly string[];
  readonly exclude: readonly string[];
  readonly ringCapacity: number;
  readonly outputDir: string;
  readonly outputFile: string | undefined;
  /** Public keys, `age1…`. Where it was given and is wrong, nothing can be encrypted or written. */
  readonly encryptTo: readonly string[];
  readonly dumpOnCrash: boolean;
  readonly onExit: boolean;
  readonly captureDeadlineMs: number;
  readonly captureMaxBytes: number;
  readonly captureMaxMutations: number;
  readonly maxString: number;
  readonly maxContainer: number;
  readonly maxDepth: number;
  readonly reprLimit: number;
  readonly scrub: {
    readonly enabled: boolean;
    readonly names: readonly string[];
    /** Sources of regular expressions; each compiles. */
    readonly patterns: readonly string[];
    readonly allow: readonly string[];
  };
  readonly stateDir: string;
  readonly cacheDir: string;
  readonly cacheMaxBytes: number;
  readonly ringRetentionDays: number;
  readonly ringRetentionCount: number;
  readonly ringRetentionBytes: number;
  readonly maxBoxes: number;
  readonly maxBoxBytes: number;
  readonly maxBoxesPerMinute: number;
  readonly commit: string | undefined;
  readonly service: string | undefined;
  readonly report: string | undefined;
  readonly children: boolean;
  readonly quiet: boolean;
  /** Where each option comes from: `code`, `environment`, the path of a file, or `default`. */
  readonly origins: Readonly<Record<string, string>>;
}

/** What `install()` and `configure()` take: any part of {@link Config} but `origins`. */
export type ConfigOptions = {
  readonly [Name in Exclude<keyof Config, "origins" | "scrub">]?: Config[Name] | undefined;
} & { readonly scrub?: Partial<Config["scrub"]> | undefined };

/** What the configuration is worked out from. */
export interface ConfigSources {
  /** Options given in code, unchecked. */
  readonly code?: ConfigOptions | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; anything else counts as `/`, for a program whose folder is gone. */
  readonly cwd: string;
  /** Default: the home folder of the user. */
  readonly home?: string;
  /** Default: reads the disk. */
  readonly readText?: ReadText;
}

/**
 * Works out the configuration.
 *
 * @throws {FlightError} `FLIGHT_BAD_CONFIG` naming the option, for an unknown one, a wrong type or a
 * value out of range, whatever source it is from.
 */
export function resolveConfig(sources: ConfigSources): Config {
  const { config, problems } = resolveConfigSafely(sources);
  const [first] = problems;
  if (first !== undefined) throw first;
  return config;
}

/**
 * Works out the configuration, leaving out what is wrong.
 *
 * @returns A valid configuration, and what was left out, in the order code, environment, file.
 */
export function resolveConfigSafely(given: ConfigSources): {
  config: Config;
  problems: FlightError[];
} {
  const problems: FlightError[] = [];
  const refused = new Set<string>();
  const findings: Findings = { problems, refused };
  const values = new Map<string, Value>();
  const origins: Record<string, string> = {};
  const sources = { ...given, cwd: isAbsolute(given.cwd) ? given.cwd : "/" };
  for (const layer of [
    codeLayer(sources, findings),
    environmentLayer(sources, findings),
    fileLayer(sources, findings),
  ]) {
    for (const [name, value] of layer.values) {
      if (values.has(name)) continue;
      values.set(name, value);
      origins[name] = layer.origin;
    }
  }
  if (!values.has("encryptTo") && refused.has("encryptTo")) values.set("encryptTo", NO_KEY);
  for (const option of OPTIONS) {
    if (values.has(option.name)) continue;
    values.set(option.name, option.default);
    origins[option.name] = "default";
  }
  return { config: build(values, origins, sources), problems };
}

type Value = boolean | number | string | readonly string[] | undefined;

/** What is wrong with the sources. */
interface Findings {
  readonly problems: FlightError[];
  /** Options that were given, or meant, with a value that is not used. */
  readonly refused: Set<string>;
}

/**
 * Stands for public keys that cannot be used: with it nothing is written. Whoever asked for encrypted
 * files must not get files in the clear because of a misspelt key.
 */
const NO_KEY: readonly string[] = ["unusable"];

interface Layer {
  readonly origin: string;
  readonly values: Map<string, Value>;
}

const BY_NAME = new Map(OPTIONS.map((option) => [option.name, option]));
const BY_VARIABLE = new Map(OPTIONS.map((option) => [option.env, option]));
const GROUPS = new Set(["scrub"]);
const MAX_LIST = 10_000;

function codeLayer({ code, cwd }: ConfigSources, findings: Findings): Layer {
  const values = new Map<string, Value>();
  if (code !== undefined) {
    takeObject(code, { ...findings, values, folder: cwd, where: "the options" });
  }
  return { origin: "code", values };
}

function fileLayer(sources: ConfigSources, findings: Findings): Layer {
  const { cwd, env, readText = readTextFile } = sources;
  const values = new Map<string, Value>();
  let file: ConfigFile | undefined;
  let lastText: string | undefined;
  try {
    file = loadConfigFile(cwd, env["ORANGEBOX_CONFIG"], (path) => (lastText = readText(path)));
  } catch (error) {
    if (!isFlightError(error)) throw error;
    findings.problems.push(error);
    if (lastText?.includes("encryptTo") === true) findings.refused.add("encryptTo");
  }
  if (file === undefined) return { origin: "file", values };
  takeObject(file.values, { ...findings, values, folder: dirname(file.path), where: file.path });
  return { origin: file.path, values };
}

function environmentLayer({ env, cwd }: ConfigSources, findings: Findings): Layer {
  const values = new Map<string, Value>();
  const target = { ...findings, values, folder: cwd, where: "the environment" };
  for (const [variable, text] of Object.entries(env)) {
    // An empty variable is how shells say "not set".
    if (!variable.startsWith("ORANGEBOX_") || text === undefined || text === "") continue;
    const option = BY_VARIABLE.get(variable);
    if (option !== undefined) takeValue(option, parseText(option, text), { ...target, variable });
    else if (!OTHER_VARIABLES.includes(variable)) {
      // Other tools may have variables of this name; only a likely slip is worth a word.
      const meant = nearestName(variable, [...BY_VARIABLE.keys(), ...OTHER_VARIABLES]);
      if (meant === undefined) continue;
      findings.problems.push(unknownName(variable, "the environment", meant));
      findings.refused.add(BY_VARIABLE.get(meant)?.name ?? meant);
    }
  }
  return { origin: "environment", values };
}

interface Target extends Findings {
  readonly values: Map<string, Value>;
  /** Relative paths are taken from here. */
  readonly folder: string;
  /** Where the values are from, for messages. */
  readonly where: string;
  /** The variable, when the value is from the environment. */
  readonly variable?: string;
}

function takeObject(object: object, target: Target, prefix = ""): void {
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    const name = prefix + key;
    if (name === "$schema" && prefix === "") continue;
    const option = BY_NAME.get(name);
    if (option !== undefined) takeValue(option, value, target);
    else if (!GROUPS.has(name)) {
      const meant = nearestName(name, [...BY_NAME.keys(), ...GROUPS]);
      target.problems.push(unknownName(name, target.where, meant));
      if (meant !== undefined) target.refused.add(meant);
    } else if (isObject(value)) takeObject(value, target, `${name}.`);
    else target.problems.push(wrongValue(name, target, `an object, not ${shown(value)}`));
  }
}

function takeValue(option: OptionEntry, value: unknown, target: Target): void {
  const checked = check(option, value, target.folder);
  if ("expected" in checked) {
    const name = target.variable ?? option.name;
    target.problems.push(wrongValue(name, target, `${checked.expected}, not ${shown(value)}`));
    target.refused.add(option.name);
    return;
  }
  target.values.set(option.name, checked.value);
}

type Checked = { readonly value: Value } | { readonly expected: string };

function check(option: OptionEntry, value: unknown, folder: string): Checked {
  const { type } = option;
  switch (type.kind) {
    case "boolean":
      return typeof value === "boolean" ? { value } : { expected: "true or false" };
    case "integer": {
      const { min, max } = type;
      const fits =
        typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max;
      return fits ? { value } : { expected: `a whole number from ${min} to ${max}` };
    }
    case "text":
      return typeof value === "string" && value !== "" ? { value } : { expected: "a text" };
    case "path":
      return typeof value === "string" && value !== "" && !value.includes("\0")
        ? { value: resolve(folder, value) }
        : { expected: "a path" };
    case "choice":
      return typeof value === "string" && type.values.includes(value)
        ? { value }
        : { expected: `one of ${type.values.join(", ")}` };
    case "list":
      break;
  }
  return checkList(option, value);
}

function checkList({ name }: OptionEntry, value: unknown): Checked {
  const isList =
    Array.isArray(value) &&
    value.length <= MAX_LIST &&
    value.every((item) => typeof item === "string" && item !== "");
  if (!isList) return { expected: "a list of texts" };
  if (name === "levelFor" && !value.every((text) => parseLevelFor(text) !== undefined)) {
    return { expected: "a list of texts such as src/**=writes" };
  }
  if (name === "encryptTo" && !value.every((text) => parseAgeRecipient(text) !== undefined)) {
    return { expected: "a list of public keys (age1…, as flight keygen prints them)" };
  }
  if (name !== "scrub.patterns") return { value: [...value] };
  const broken = value.find((source) => !isPattern(source));
  return broken === undefined ? { value: [...value] } : { expected: "regular expressions" };
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, "u") instanceof RegExp;
  } catch {
    // A pattern that does not compile is the answer, not a failure.
    return false;
  }
}

/** Turns the text of a variable into a value of the right type, or leaves it for the check to refuse. */
function parseText({ type }: OptionEntry, text: string): unknown {
  switch (type.kind) {
    case "boolean":
      if (["1", "true", "yes", "on"].includes(text.toLowerCase())) return true;
      if (["0", "false", "no", "off"].includes(text.toLowerCase())) return false;
      return text;
    case "integer":
      return /^\d{1,16}$/.test(text.trim()) ? Number(text) : text;
    case "list":
      // A pattern may hold commas: then there is one a line.
      return text
        .split(text.includes("\n") ? "\n" : ",")
        .map((item) => item.trim())
        .filter((item) => item !== "");
    case "text":
    case "path":
    case "choice":
      break;
  }
  return text;
}

function build(
  values: ReadonlyMap<string, Value>,
  origins: Record<string, string>,
  { env, cwd, home }: ConfigSources,
): Config {
  const read = new TypedValues(values);
  const out = outputOf(read, cwd);
  return {
    enabled: read.boolean("enabled"),
    level: levelOf(read.text("level")),
    levelFor: read.list("levelFor"),
    include: read.list("include"),
    includePackages: read.list("includePackages"),
    exclude: read.list("exclude"),
    ringCapacity: powerOfTwo(read.number("ringCapacity")),
    outputDir: out.dir,
    outputFile: out.file,
    encryptTo: read.list("encryptTo"),
    dumpOnCrash: read.boolean("dumpOnCrash"),
    onExit: read.boolean("onExit"),
    captureDeadlineMs: read.number("captureDeadlineMs"),
    captureMaxBytes: read.number("captureMaxBytes"),
    captureMaxMutations: read.number("captureMaxMutations"),
    maxString: read.number("maxString"),
    maxContainer: read.number("maxContainer"),
    maxDepth: read.number("maxDepth"),
    reprLimit: read.number("reprLimit"),
    scrub: {
      enabled: read.boolean("scrub.enabled"),
      names: read.list("scrub.names"),
      patterns: read.list("scrub.patterns"),
      allow: read.list("scrub.allow"),
    },
    stateDir: read.text("stateDir") ?? userFolder(env["XDG_STATE_HOME"], ".local/state", home),
    cacheDir: read.text("cacheDir") ?? userFolder(env["XDG_CACHE_HOME"], ".cache", home),
    cacheMaxBytes: read.number("cacheMaxBytes"),
    ringRetentionDays: read.number("ringRetentionDays"),
    ringRetentionCount: read.number("ringRetentionCount"),
    ringRetentionBytes: read.number("ringRetentionBytes"),
    maxBoxes: read.number("maxBoxes"),
    maxBoxBytes: read.number("maxBoxBytes"),
    maxBoxesPerMinute: read.number("maxBoxesPerMinute"),
    commit: read.text("commit"),
    service:
      read.text("service") ?? filled(env["OTEL_SERVICE_NAME"]) ?? filled(env["FLIGHT_SERVICE"]),
    report: read.text("report"),
    children: read.boolean("children"),
    quiet: read.boolean("quiet"),
    origins,
  };
}

/** Reads values whose types were checked before, in a form the compiler believes. */
class TypedValues {
  readonly #values: ReadonlyMap<string, Value>;

  constructor(values: ReadonlyMap<string, Value>) {
    this.#values = values;
  }

  boolean(name: string): boolean {
    return this.#values.get(name) === true;
  }

  number(name: string): number {
    const value = this.#values.get(name);
    return typeof value === "number" ? value : 0;
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return typeof value === "string" ? value : undefined;
  }

  list(name: string): readonly string[] {
    const value = this.#values.get(name);
    return typeof value === "object" ? value : [];
  }
}

function outputOf(read: TypedValues, cwd: string): { dir: string; file: string | undefined } {
  const place = read.text("outputDir");
  const file = read.text("outputFile");
  // One variable serves both, so that `ORANGEBOX_OUT=crash.flight` does what it looks like.
  if (place !== undefined && /\.flight(?:\.age)?$/.test(place))
    return { dir: dirname(place), file: file ?? place };
  return { dir: place ?? (file === undefined ? cwd : dirname(file)), file };
}

function levelOf(text: string | undefined): Level {
  return text === "lines" || text === "writes" ? text : "calls";
}

function powerOfTwo(atLeast: number): number {
  return 2 ** Math.ceil(Math.log2(atLeast));
}

function userFolder(base: string | undefined, below: string, home: string = homeFolder()): string {
  // The XDG rule: a relative path there is to be ignored.
  const root = base?.startsWith("/") === true ? base : join(home, below);
  return join(root, "orangebox");
}

function homeFolder(): string {
  try {
    return homedir();
  } catch {
    // A user without an entry, as in some containers.
    return tmpdir();
  }
}

function filled(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unknownName(name: string, where: string, meant: string | undefined): FlightError {
  return new FlightError(
    "FLIGHT_BAD_CONFIG",
    `${where}: there is no option ${name}`,
    meant === undefined ? "See docs/configuration.md for the options." : `Did you mean ${meant}?`,
  );
}

function wrongValue(name: string, { where }: Target, expectation: string): FlightError {
  return new FlightError(
    "FLIGHT_BAD_CONFIG",
    `${where}: ${name} must be ${expectation}`,
    "Correct the value; see docs/configuration.md for the options.",
  );
}

/** Shows a wrong value without calling anything of it. */
function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 80));
  if (value === null || typeof value === "number" || typeof value === "boolean")
    return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
