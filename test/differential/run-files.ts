/**
 * The process of the whole-path share: loads generated programs from files, by Node's own loaders,
 * and writes down what each showed. It knows nothing of the recorder, which may be around it.
 *
 * `node run-files.js FOLDER` reads `FOLDER/programs.json` and writes `FOLDER/RESULT`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createEnvironment, describe, type Environment } from "./environment.ts";
import { GLOBAL_NAMES } from "./grammar/context.ts";

let current: Environment | undefined;

/** Long enough for any module to load; only those that wait for ever take so long. */
const WAIT_MS = 1500;

function wait(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs).unref();
  });
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1);
  });
}

async function load(path: string, lines: string[]): Promise<void> {
  const fromHere = createRequire(import.meta.url);
  if (/\.c[jt]s$/.test(path)) {
    lines.push(`exports ${describe(fromHere(path))}`);
    return;
  }
  // A module that waits for ever must not stop the others.
  const loaded: unknown = await Promise.race([import(pathToFileURL(path).href), wait(WAIT_MS)]);
  lines.push(`namespace ${describe(loaded)}`);
}

async function runAll(folder: string, result: string): Promise<void> {
  process.on("unhandledRejection", (reason) => {
    current?.lines.push(`unhandled ${describe(reason)}`);
  });
  process.on("uncaughtException", (error) => {
    current?.lines.push(`uncaught ${describe(error)}`);
  });
  const paths = JSON.parse(readFileSync(join(folder, "programs.json"), "utf8")) as string[];
  const all: string[][] = [];
  for (const path of paths) {
    const environment = createEnvironment();
    current = environment;
    Object.assign(globalThis, environment.globals);
    const { lines } = environment;
    try {
      await load(path, lines);
    } catch (error) {
      lines.push(`failed ${describe(error)}`);
    }
    await turn();
    environment.finish();
    await turn();
    for (const name of GLOBAL_NAMES) Reflect.deleteProperty(globalThis, name);
    all.push(lines);
  }
  writeFileSync(join(folder, result), JSON.stringify(all));
}

const [, , folder, result] = process.argv;
if (folder !== undefined && result !== undefined) {
  await runAll(folder, result);
  process.exit(0);
}
