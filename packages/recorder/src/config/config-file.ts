/**
 * Finds and reads `orangebox.config.json`. JSON only: reading a configuration never runs code.
 */
import nodeFs from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { FlightError } from "@orangebox/format";

const { readFileSync } = nodeFs;

/** The name that is searched for. */
const CONFIG_FILE_NAME = "orangebox.config.json";

const MAX_FOLDERS = 64;
const MAX_FILE_UNITS = 2 ** 20;

/** Gives the text of a file, or undefined when there is none. */
export type ReadText = (path: string) => string | undefined;

/** What a config file says; `values` is unchecked. */
export interface ConfigFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Reads a file of the disk. A missing one is undefined; one that cannot be read throws. */
export function readTextFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // Under the permission model of Node nobody can say whether a file outside is there.
    const absent = ["ENOENT", "ENOTDIR", "EISDIR", "ERR_ACCESS_DENIED"];
    if (typeof code === "string" && absent.includes(code)) return undefined;
    throw error;
  }
}

/**
 * Finds the config file: the named one, else the first in `cwd` or above it, up to and including the
 * folder with the nearest `package.json`.
 *
 * @throws {FlightError} `FLIGHT_BAD_CONFIG` when the named file is missing, or a file is unreadable or
 * no JSON object.
 */
export function loadConfigFile(
  cwd: string,
  named: string | undefined,
  readText: ReadText,
): ConfigFile | undefined {
  if (named !== undefined && named !== "") {
    const path = isAbsolute(named) ? named : resolve(cwd, named);
    const text = attempt(path, readText);
    if (text !== undefined) return parse(path, text);
    throw badFile(`the config file ${path} does not exist`, "Correct or unset ORANGEBOX_CONFIG.");
  }
  let folder = resolve(cwd);
  for (let i = 0; i < MAX_FOLDERS; i++) {
    const path = join(folder, CONFIG_FILE_NAME);
    const text = attempt(path, readText);
    if (text !== undefined) return parse(path, text);
    const above = dirname(folder);
    if (above === folder || hasPackage(folder, readText)) return undefined;
    folder = above;
  }
  return undefined;
}

function hasPackage(folder: string, readText: ReadText): boolean {
  try {
    return readText(join(folder, "package.json")) !== undefined;
  } catch {
    // It is there, though not readable.
    return true;
  }
}

function attempt(path: string, readText: ReadText): string | undefined {
  try {
    return readText(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown error";
    throw badFile(`the config file ${path} cannot be read: ${reason}`, "Make it readable.", error);
  }
}

function parse(path: string, text: string): ConfigFile {
  if (text.length > MAX_FILE_UNITS) {
    throw badFile(`the config file ${path} is larger than 1 MiB`, "Keep only the options in it.");
  }
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown error";
    throw badFile(`the config file ${path} is no JSON: ${reason}`, "Correct the file.", error);
  }
  if (!isRecord(values)) {
    throw badFile(`the config file ${path} holds no object`, "Write { } around the options.");
  }
  return { path, values };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function badFile(message: string, hint: string, cause?: unknown): FlightError {
  return new FlightError("FLIGHT_BAD_CONFIG", message, hint, cause === undefined ? {} : { cause });
}
