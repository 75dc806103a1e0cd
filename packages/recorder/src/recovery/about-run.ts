/**
 * What the recorder leaves beside a ring about its run, so that a recovery without the program can say
 * who it was: written when the ring is opened, read when the owner is dead.
 *
 * Layout: docs/decisions/0012-recovery.md, "About the run".
 */
import type { Config } from "../config/resolve-config.ts";
import { scrubArguments, scrubberOf } from "../scrub/scrub-arguments.ts";
import { VERSION } from "../version.ts";

/** Which run, and the recorded process that started this one. */
interface Descent {
  readonly run: string;
  readonly parent: number | undefined;
}

/** Gives what is written; plain JSON data, scrubbed. */
export function aboutRun(
  config: Config,
  { run, parent }: Descent,
): Readonly<Record<string, unknown>> {
  const scrubber = scrubberOf(config);
  return {
    run,
    parent,
    ppid: process.ppid,
    argv: scrubArguments(process.argv, scrubber),
    execArgv: scrubArguments(process.execArgv, scrubber),
    cwd: workingFolder(),
    v8: process.versions.v8,
    version: VERSION,
    level: config.level,
    outputDir: config.outputDir,
    outputFile: config.outputFile,
    encryptTo: config.encryptTo,
    dumpOnCrash: config.dumpOnCrash,
    onExit: config.onExit,
    maxBoxes: config.maxBoxes,
    maxBoxBytes: config.maxBoxBytes,
    commit: config.commit,
    service: config.service,
    scrub: config.scrub,
  };
}

/** The same, read back; what is missing or of a wrong type is undefined, or what is usual. */
export interface RunFacts {
  readonly run: string | undefined;
  readonly parent: number | undefined;
  readonly ppid: number | undefined;
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  readonly cwd: string;
  readonly v8: string | undefined;
  readonly version: string | undefined;
  readonly level: string | undefined;
  readonly outputDir: string | undefined;
  readonly outputFile: string | undefined;
  /** Public keys; undefined when nothing is known of them. */
  readonly encryptTo: readonly string[] | undefined;
  readonly dumpOnCrash: boolean;
  readonly onExit: boolean;
  readonly maxBoxes: number | undefined;
  readonly maxBoxBytes: number | undefined;
  readonly commit: string | undefined;
  readonly service: string | undefined;
  readonly scrub: Config["scrub"];
}

/** Reads what a side file says about the run. Never throws, whatever stands there. */
export function readRunFacts(about: Readonly<Record<string, unknown>>): RunFacts {
  return {
    run: text(about["run"]),
    parent: count(about["parent"]),
    ppid: count(about["ppid"]),
    argv: texts(about["argv"]),
    execArgv: texts(about["execArgv"]),
    cwd: text(about["cwd"]) ?? "",
    v8: text(about["v8"]),
    version: text(about["version"]),
    level: text(about["level"]),
    outputDir: text(about["outputDir"]),
    outputFile: text(about["outputFile"]),
    encryptTo: Array.isArray(about["encryptTo"]) ? texts(about["encryptTo"]) : undefined,
    dumpOnCrash: about["dumpOnCrash"] !== false,
    onExit: about["onExit"] === true,
    maxBoxes: count(about["maxBoxes"]),
    maxBoxBytes: count(about["maxBoxBytes"]),
    commit: text(about["commit"]),
    service: text(about["service"]),
    scrub: scrubOf(about["scrub"]),
  };
}

function scrubOf(value: unknown): Config["scrub"] {
  const given = new Map<string, unknown>(
    typeof value === "object" && value !== null ? Object.entries(value) : [],
  );
  const list = (name: string): string[] => texts(given.get(name));
  return {
    // Nothing but a plain `false` switches hiding off.
    enabled: given.get("enabled") !== false,
    names: list("names"),
    patterns: list("patterns").filter((source) => isPattern(source)),
    allow: list("allow"),
  };
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, "i") instanceof RegExp;
  } catch {
    // A damaged line: the other patterns still count.
    return false;
  }
}

function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    // The folder is gone.
    return "";
  }
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
