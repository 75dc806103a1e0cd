/**
 * Runs a program plain and recorded, and opens the boxes it left.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ObjectNode, openRecording, type Recording } from "@orangebox/format";
import { zlibCodec } from "@orangebox/format";
import * as zlib from "node:zlib";

/** Repository root, with a final slash. */
export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));

/** What `--require` loads. */
export const REGISTER: string = join(ROOT, "packages/recorder/register.cjs");
const MAX_RUN_MS = 25_000;

export interface RunResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: string | null;
}

export interface RunOptions {
  readonly node: string;
  readonly nodeArguments?: readonly string[];
  readonly file: string;
  readonly arguments?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end; its stdin is empty. */
export function runPlain(options: RunOptions): Promise<RunResult> {
  return start(options, [], {});
}

export interface RecordedRun extends RunResult {
  /** Boxes the run wrote, oldest first. */
  readonly boxes: readonly Recording[];
  readonly paths: readonly string[];
  /** Lines of the report file. */
  readonly reports: readonly { path?: string; problem?: string; reason?: string }[];
  readonly folder: string;
}

/**
 * Runs the same program with the recorder.
 *
 * What the recorder says goes to the report file, so that stderr is the program's own.
 */
export async function runRecorded(
  options: RunOptions & {
    /** Instead of a folder of its own: `boxes` and `paths` are empty then. */
    readonly out?: string;
    /** Instead of the one that all tests share. */
    readonly cacheDir?: string;
    /** False when `nodeArguments` load the recorder themselves. */
    readonly isRequired?: boolean;
  },
): Promise<RecordedRun> {
  const folder = mkdtempSync(join(tmpdir(), "orangebox-test-"));
  const report = join(folder, "report");
  const before = options.isRequired === false ? [] : ["--require", REGISTER];
  const result = await start(options, before, {
    ORANGEBOX_OUT: options.out ?? folder,
    ORANGEBOX_REPORT: report,
    ORANGEBOX_STATE_DIR: join(folder, "state"),
    ORANGEBOX_CACHE_DIR: options.cacheDir ?? join(tmpdir(), "orangebox-test-cache"),
  });
  const paths = readdirSync(folder)
    .filter((name) => name.endsWith(".flight"))
    .toSorted()
    .map((name) => join(folder, name));
  return {
    ...result,
    folder,
    paths,
    boxes: paths.map(openBox),
    reports: readLines(report),
  };
}

export function removeRun(run: RecordedRun): void {
  rmSync(run.folder, { recursive: true, force: true });
}

export function openBox(path: string): Recording {
  return openRecording(readFileSync(path), { codec: zlibCodec(zlib), name: path });
}

function readLines(path: string): { path?: string; problem?: string; reason?: string }[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { path?: string });
  } catch {
    return [];
  }
}

function start(
  options: RunOptions,
  before: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<RunResult> {
  const { NODE_OPTIONS: _options, VITEST: _vitest, FORCE_COLOR: _color, ...rest } = process.env;
  const child = spawn(
    options.node,
    [...before, ...(options.nodeArguments ?? []), options.file, ...(options.arguments ?? [])],
    {
      cwd: options.cwd ?? ROOT,
      env: { ...rest, ...options.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const timer = setTimeout(() => child.kill("SIGKILL"), MAX_RUN_MS);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ stdout, stderr, code, signal });
    });
  });
}

/** A local of a frame as plain data: primitives as text, containers one level deep. */
export function localNode(box: Recording, frame: number, name: string): ObjectNode | undefined {
  const local = box.frames()[frame]?.locals.find((entry) => entry.name === name);
  return local === undefined ? undefined : box.objects().get(local.id);
}

/** Follows item keys from a local. */
export function nodeAt(
  box: Recording,
  frame: number,
  name: string,
  ...path: string[]
): ObjectNode | undefined {
  let node = localNode(box, frame, name);
  for (const key of path) {
    const index = Number(key);
    const item =
      node?.items.find((entry) => entry.key === key) ??
      (Number.isInteger(index) ? node?.items[index] : undefined);
    node = item === undefined ? undefined : box.objects().get(item.id);
  }
  return node;
}

/** `qualname (file:line)` of every frame. */
export function frameNames(box: Recording): string[] {
  return box.frames().map(({ qualname, file, line }) => {
    const name = file.slice(file.lastIndexOf("/") + 1);
    return `${qualname} (${name}:${line})`;
  });
}
