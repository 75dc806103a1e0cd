/**
 * Works out what a build is to instrument: the options of the plugin, the environment, the file.
 *
 * The words are those of docs/configuration.md, and so is the order of weight.
 */
import { FlightError } from "@orangebox/format";
import {
  type ConfigOptions,
  createFileFilter,
  createFileLevels,
  type FileFilter,
  type FileLevels,
  resolveConfig,
} from "@orangebox/recorder/choice";

/** What can be said to the plugin; everything may be left out. */
export interface PluginOptions {
  /** Default: `ORANGEBOX_ENABLED`, else true. When false the plugin does nothing. */
  readonly enabled?: boolean | undefined;
  /** How many probes: `calls`, `lines` or `writes`. */
  readonly level?: ConfigOptions["level"];
  /** Other levels for some files, as `src/cart/**=writes`; the last glob that fits counts. */
  readonly levelFor?: readonly string[] | undefined;
  /** Globs of files that are recorded although they would be left out. */
  readonly include?: readonly string[] | undefined;
  /** Names of packages in `node_modules` that are recorded. */
  readonly includePackages?: readonly string[] | undefined;
  /** Globs of files that are never recorded. */
  readonly exclude?: readonly string[] | undefined;
  /**
   * Whether tables hold the text of your sources. Default: true. Without it, recordings show them
   * only on machines where the files are in their place.
   */
  readonly sources?: boolean | undefined;
}

/** What a build is to instrument. */
export interface BuildChoice {
  readonly isEnabled: boolean;
  /** The finest level of any file. */
  readonly level: "calls" | "lines" | "writes";
  readonly filter: FileFilter;
  readonly levelOf: FileLevels;
  readonly keepsSources: boolean;
  /** The same choice gives the same words. */
  readonly words: string;
}

const NAMES = [
  "enabled",
  "level",
  "levelFor",
  "include",
  "includePackages",
  "exclude",
  "sources",
] as const;
const LEVELS = ["calls", "lines", "writes"] as const;

/**
 * Checks the options.
 *
 * @param cwd Globs without a leading slash are taken from here.
 * @throws {FlightError} `FLIGHT_BAD_CONFIG` naming the option that is unknown or has a bad value.
 */
export function chooseFiles(options: PluginOptions, cwd: string): BuildChoice {
  const given: unknown = options;
  if (typeof given !== "object" || given === null) {
    throw badOption("the options are no object", `Pass an object with any of ${NAMES.join(", ")}.`);
  }
  for (const name of Object.keys(given)) {
    if ((NAMES as readonly string[]).includes(name)) continue;
    throw badOption(`the plugin has no option "${name}"`, `It has ${NAMES.join(", ")}.`);
  }
  const { sources = true, ...rest } = options;
  if (typeof sources !== "boolean") {
    throw badOption(`the option "sources" is ${describe(sources)}`, "Set it to true or false.");
  }
  const config = resolveConfig({ code: rest, env: process.env, cwd });
  const { level, levelFor, include, includePackages, exclude } = config;
  const levels = [level, ...levelFor.map((text) => text.slice(text.lastIndexOf("=") + 1))];
  return {
    isEnabled: config.enabled,
    level: LEVELS.findLast((candidate) => levels.includes(candidate)) ?? level,
    filter: createFileFilter({ include, includePackages, exclude, cwd, ownFolders: [] }),
    levelOf: createFileLevels({ level, levelFor, cwd }),
    keepsSources: sources,
    words: JSON.stringify({ level, levelFor, include, includePackages, exclude, sources }),
  };
}

function badOption(message: string, hint: string): FlightError {
  return new FlightError("FLIGHT_BAD_CONFIG", `orangebox: ${message}`, hint);
}

function describe(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}
