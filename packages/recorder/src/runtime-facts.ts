/**
 * What works on this machine and what is lost where something does not, for `flight doctor`.
 */
import { constants, accessSync, existsSync, statfsSync } from "node:fs";
import { registerHooks } from "node:module";
import { dirname } from "node:path";
import * as zlib from "node:zlib";
import type * as Instrument from "@orangebox/instrument";
import type { Config } from "./config/resolve-config.ts";
import { loadNativeMemory } from "./ring/native-memory.ts";
import { ownRequire } from "./runtime/own-require.ts";
import { makeFolder } from "./runtime/make-folder.ts";

/** One thing that was looked at. */
export interface RuntimeFact {
  readonly name: string;
  readonly works: boolean;
  /** A version, a path, or the reason why it does not work. */
  readonly detail: string;
  /** What is lost without it; only when it does not work. */
  readonly lost?: string;
}

/** All facts, most important first. */
export type RuntimeFacts = readonly RuntimeFact[];

/** Looks at everything the recorder rests on. Creates the folders of the configuration. */
export function runtimeFacts(
  config: Pick<Config, "stateDir" | "cacheDir" | "outputDir">,
): RuntimeFacts {
  return [
    nodeFact(),
    fact(
      "module hooks",
      typeof registerHooks === "function",
      "module.registerHooks",
      "nothing is recorded: modules load without probes",
    ),
    parserFact(),
    mappingFact(),
    fact(
      "zstd",
      typeof zlib.zstdCompressSync === "function",
      "node:zlib",
      "recordings are written uncompressed",
    ),
    inspectorFact(),
    folderFact("output folder", config.outputDir, "boxes go to the temporary folder"),
    folderFact("state folder", config.stateDir, "a killed program leaves no ring behind"),
    folderFact("cache folder", config.cacheDir, "every start transforms every module again"),
  ];
}

function fact(name: string, works: boolean, detail: string, lost: string): RuntimeFact {
  return works ? { name, works, detail } : { name, works, detail: "missing", lost };
}

function nodeFact(): RuntimeFact {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const works = major > 22 || (major === 22 && minor >= 15);
  return works
    ? { name: "node", works, detail: process.version }
    : {
        name: "node",
        works,
        detail: `${process.version}, needs 22.15 or later`,
        lost: "recording",
      };
}

function parserFact(): RuntimeFact {
  const name = "transformer";
  try {
    const { instrument } = ownRequire("@orangebox/instrument") as typeof Instrument;
    const result = instrument("function f(a) { return a }", {
      filename: "probe.js",
      format: "commonjs",
      language: "js",
      level: "calls",
      ringMask: 15,
    });
    if ("untouched" in result) throw new Error(result.untouched);
    return { name, works: true, detail: "oxc-parser" };
  } catch (error) {
    return {
      name,
      works: false,
      detail: message(error),
      lost: "nothing is recorded: modules load without probes",
    };
  }
}

function mappingFact(): RuntimeFact {
  const name = "mapped ring";
  const memory = loadNativeMemory();
  return "reason" in memory
    ? { name, works: false, detail: memory.reason, lost: "the last events of a killed program" }
    : { name, works: true, detail: "koffi" };
}

function inspectorFact(): RuntimeFact {
  const name = "inspector";
  try {
    const { Session } = process.getBuiltinModule("node:inspector");
    new Session().disconnect();
    return { name, works: true, detail: "node:inspector" };
  } catch (error) {
    return {
      name,
      works: false,
      detail: message(error),
      lost: "private fields of classes without probes, states of promises, targets of proxies; capture() without an error",
    };
  }
}

function folderFact(name: string, folder: string, lost: string): RuntimeFact {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(existsSync(folder) ? folder : dirname(folder));
    const freeMib = Math.floor((bavail * bsize) / 2 ** 20);
    const works = freeMib >= 16;
    const detail = `${folder} (${freeMib} MiB free)`;
    return works ? { name, works, detail } : { name, works, detail, lost };
  } catch (error) {
    return { name, works: false, detail: message(error), lost };
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
