/**
 * Runs a program plain and at every level in this process, and gives back what each run showed.
 */
import * as nodeModule from "node:module";
import {
  compileFunction,
  SourceTextModule,
  type Module as VmModule,
  SyntheticModule,
} from "node:vm";
import {
  type Instrumented,
  instrument,
  type Level,
  rebase,
} from "../../packages/instrument/src/index.ts";
import { textHash } from "../../packages/recorder/src/loader/text-hash.ts";
import { LoadedModule } from "../../packages/recorder/src/runtime/module-registry.ts";
import { createEnvironment, describe, type Environment } from "./environment.ts";
import type { Program } from "./generate-program.ts";
import { GLOBAL_NAMES } from "./grammar/context.ts";
import { isSameLine } from "./known-limits.ts";
import { ProbeStand, RING_MASK } from "./probe-stand.ts";

export const LEVELS: readonly Level[] = ["calls", "lines", "writes"];

/** What became of a program. */
export type Verdict =
  | { readonly kind: "same" }
  /** No program: the engine itself refuses it. */
  | { readonly kind: "invalid"; readonly reason: string }
  /** A whole text was left alone. */
  | { readonly kind: "untouched"; readonly reason: string }
  | {
      readonly kind: "different";
      readonly level: Level;
      readonly plain: readonly string[];
      readonly recorded: readonly string[];
    };

interface Text {
  readonly name: string;
  readonly source: string;
}

let stand: ProbeStand | undefined;
let current: Environment | undefined;

/** Runs a program at all levels. */
export async function compareLevels(program: Program, levels = LEVELS): Promise<Verdict> {
  if (stand === undefined) {
    process.on("unhandledRejection", (reason) => {
      current?.lines.push(`unhandled ${describe(reason)}`);
    });
    stand = new ProbeStand();
  }
  const texts: Text[] = [{ name: "main", source: program.source }];
  if (program.other !== undefined) texts.push({ name: "other", source: program.other });
  let plainScripts: readonly Script[];
  try {
    const plainTexts = program.kind.isTyped
      ? texts.map((text) => ({ ...text, source: withoutTypes(text.source, program) }))
      : texts;
    if (program.kind.isTyped && texts.some(({ source }) => JOINED_MEMBERS.test(source))) {
      return { kind: "invalid", reason: "Node joins the members around one that it erases" };
    }
    const isOther =
      program.kind.hasCompiledTypes &&
      texts.some(({ source }, index) => isOtherProgram(source, plainTexts[index]?.source ?? ""));
    if (isOther) {
      return { kind: "invalid", reason: "Node's own compiler changes more than types" };
    }
    plainScripts = plainTexts.map((text) => compile(program, text));
  } catch (error) {
    return { kind: "invalid", reason: error instanceof Error ? error.message : String(error) };
  }
  stand.begin(false);
  const plain = await run(program, plainScripts);
  if (plain.some((line) => LATE_REFUSAL.test(line))) {
    return {
      kind: "invalid",
      reason: "the engine refuses one of its functions when that is called",
    };
  }
  let before: string[] = [];
  for (const level of levels) {
    const results: Instrumented[] = [];
    for (const { name, source } of texts) {
      const result = instrument(source, {
        filename: fileOf(program, name),
        format: program.kind.format,
        language: program.kind.isTyped ? "ts" : "js",
        level,
        ringMask: RING_MASK,
      });
      if ("untouched" in result) return { kind: "untouched", reason: result.untouched };
      results.push(result);
    }
    const codes = results.map(({ code }) => code);
    // What is the same text as at the level before would do the same again.
    if (codes.every((code, index) => code === before[index])) continue;
    before = codes;
    stand.begin(((program.seed ^ level.length) & 1) === 0);
    const recorded = await runRecorded(program, texts, results);
    stand.end();
    const hasPositions = !program.kind.hasCompiledTypes;
    const lines = [...recorded, ...stand.problems.map((problem) => `problem: ${problem}`)];
    if (hasPositions ? !isEqual(plain, lines) : !isEqual(plain.map(rough), lines.map(rough))) {
      return { kind: "different", level, plain, recorded: lines };
    }
  }
  return { kind: "same" };
}

/** In parameters of a generator V8 reads `yield` as a name first, and refuses it when it compiles. */
const LATE_REFUSAL = /\[SyntaxError: Unexpected identifier 'yield'/;

/**
 * `y = 0 ⏎ declare z: number; [a] = 1`, `0 ⏎ declare enum A { B } (1)`: behind blanks Node reads
 * `0[a] = 1` and `0(1)`.
 */
const JOINED_MEMBERS =
  /\b(?:declare|abstract)\s[^;{}]*(?:[;\n\r\u2028\u2029]|\{[^{}]*\})\s*[[*(`]/u;

/**
 * Whether what Node's compiler makes of a program may do something else than the program: it renames
 * variables, and not everywhere. `(g = a, ...a)` becomes `(g = a, ...a1)`, `{x: m = i, a: i}` becomes
 * `{x: m = i, a: i1}`, an inner `async function* f` becomes `f1` where it is declared only. Nor can
 * the length of a text be compared that holds a compiled function.
 */
function isOtherProgram(source: string, compiled: string): boolean {
  return /(?<![#\w])[a-zäℕ]\d+\b/.test(compiled) || /`\)*\.length\b/.test(source);
}

async function runRecorded(
  program: Program,
  texts: readonly Text[],
  results: readonly Instrumented[],
): Promise<string[]> {
  let scripts: Script[];
  try {
    scripts = texts.map((text, index) => compile(program, load(program, text, results[index])));
  } catch (error) {
    return [`not compiled: ${String(error)}`];
  }
  return run(program, scripts);
}

function load(program: Program, text: Text, result: Instrumented | undefined): Text {
  if (result === undefined || stand === undefined) throw new Error(`no text for ${text.name}`);
  const { siteCount, sites, positions } = result;
  const contentHash = textHash(text.source);
  stand.texts.set(contentHash, text.source);
  const filename = fileOf(program, text.name);
  const { base } = stand.modules.add(
    siteCount,
    0,
    (first) =>
      new LoadedModule({
        filename,
        scriptName: scriptOf(program, text.name),
        format: program.kind.format,
        isTyped: program.kind.isTyped,
        isUnmarked: false,
        base: first,
        siteCount,
        generatedLength: result.code.length,
        contentHash,
        load: () => ({ sites, positions }),
      }),
  );
  return { name: text.name, source: rebase(result, base) };
}

/** Enums and the like are compiled: places, texts and guessed names of functions are a compiler's. */
function rough(line: string): string {
  if (/=>|function|class/.test(line.replaceAll(/\[function [^\]]*\]/g, ""))) {
    return "the text of a function";
  }
  return line
    .replaceAll(/:\d+:\d+/g, "")
    .replaceAll(/(?<=\| )[^|(]+ \(([^|()]*)\)/g, "$1")
    .replaceAll(/\b([a-zäℕ])\d+\b/g, "$1");
}

function isEqual(plain: readonly string[], recorded: readonly string[]): boolean {
  return (
    plain.length === recorded.length &&
    plain.every((line, index) => isSameLine(line, recorded[index] ?? ""))
  );
}

function withoutTypes(source: string, program: Program): string {
  const mode = program.kind.hasCompiledTypes ? "transform" : "strip";
  return nodeModule.stripTypeScriptTypes(source, { mode });
}

function fileOf({ kind }: Program, name: string): string {
  return `/p/${name}.${kind.format === "module" ? "m" : "c"}${kind.isTyped ? "ts" : "js"}`;
}

function scriptOf(program: Program, name: string): string {
  const file = fileOf(program, name);
  return program.kind.format === "module" ? `file://${file}` : file;
}

const WRAPPER = ["exports", "require", "module", "__filename", "__dirname"];

type Script =
  | { readonly name: string; readonly call: (...values: unknown[]) => unknown }
  | { readonly name: string; readonly module: SourceTextModule };

function compile(program: Program, { name, source }: Text): Script {
  const filename = scriptOf(program, name);
  if (program.kind.format === "commonjs") {
    // The engine makes a function of the type that its parameters say.
    const call = compileFunction(source, WRAPPER, { filename }) as (
      ...values: unknown[]
    ) => unknown;
    return { name, call };
  }
  const module = new SourceTextModule(source, {
    identifier: filename,
    initializeImportMeta(meta) {
      meta.url = filename;
    },
  });
  return { name, module };
}

const OWN_GLOBALS: ReadonlySet<string | symbol> = new Set(Reflect.ownKeys(globalThis));

/** Runs scripts that belong together and returns what they showed. */
async function run(program: Program, scripts: readonly Script[]): Promise<string[]> {
  const environment = createEnvironment();
  current = environment;
  // What an earlier program left on the global object would be seen by this one.
  for (const key of Reflect.ownKeys(globalThis)) {
    if (!OWN_GLOBALS.has(key) && !String(key).startsWith("__ob"))
      Reflect.deleteProperty(globalThis, key);
  }
  Object.assign(globalThis, environment.globals);
  const { lines } = environment;
  let waits = /async|await|import|Promise/.test(program.source);
  try {
    const [main] = scripts;
    if (main !== undefined && "call" in main) {
      const module = { exports: {} };
      const { call } = main;
      const result = call.call(module.exports, module.exports, undefined, module, "f", "d");
      lines.push(`completion ${describe(result)}`, `exports ${describe(module.exports)}`);
    } else {
      waits = true;
      await runModules(scripts, lines);
    }
  } catch (error) {
    lines.push(`failed ${describe(error)}`);
  }
  if (waits) await turn();
  environment.finish();
  if (waits) await turn();
  for (const name of GLOBAL_NAMES) Reflect.deleteProperty(globalThis, name);
  current = undefined;
  return lines;
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

async function runModules(scripts: readonly Script[], lines: string[]): Promise<void> {
  const modules = new Map<string, VmModule>();
  for (const script of scripts) {
    if ("module" in script) modules.set(`./${script.name}.mjs`, script.module);
  }
  const main = modules.get("./main.mjs");
  if (main === undefined) return;
  await main.link((specifier) => modules.get(specifier) ?? builtin(specifier));
  let isSettled = false;
  const ended = main.evaluate().then(
    () => {
      isSettled = true;
    },
    (error: unknown) => {
      isSettled = true;
      lines.push(`failed ${describe(error)}`);
    },
  );
  await Promise.race([ended, turn().then(turn)]);
  lines.push(isSettled ? main.status : `${main.status}, waits`);
  if (main.status === "evaluated") lines.push(`namespace ${describe(main.namespace)}`);
}

function builtin(specifier: string): VmModule {
  const names = ["default", "sep"];
  const module = new SyntheticModule(
    names,
    () => {
      for (const name of names) module.setExport(name, specifier);
    },
    { identifier: specifier },
  );
  return module;
}
