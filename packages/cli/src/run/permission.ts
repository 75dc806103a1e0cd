/**
 * Whether Node's permission model lets a program be recorded: Node itself is asked, with the
 * permissions of the program.
 */
import { registerPath } from "@orangebox/recorder/inheritance";
import { spawnSync } from "node:child_process";
import { dirname } from "node:path";

/** What a program under the permission model cannot have; `line` says what to add. */
export interface PermissionProblem {
  /** Nothing is recorded, or frames without their variables. */
  readonly missing: "recording" | "variables";
  readonly line: string;
}

/** Exit codes of the question. */
const NO_RECORDING = 81;
const NO_VARIABLES = 82;

/**
 * Asks Node what the program may do that recording needs.
 *
 * @param given Options of Node, the script and its arguments.
 * @returns Undefined when nothing is missing, and without the permission model.
 */
export function permissionProblem(given: readonly string[]): PermissionProblem | undefined {
  const options = permissionOptions(given);
  const inherited = process.env["NODE_OPTIONS"] ?? "";
  if (![...options, inherited].some((text) => /--(?:experimental-)?permission\b/.test(text))) {
    return undefined;
  }
  const folder = dirname(dirname(registerPath));
  const script = question(folder);
  const { status } = spawnSync(process.execPath, [...options, "-e", script], { stdio: "ignore" });
  if (status === NO_RECORDING) {
    const line = `not recorded: the program may not read the recorder; add --allow-fs-read=${folder}/* and --allow-fs-write for the folder of recordings`;
    return { missing: "recording", line };
  }
  if (status === NO_VARIABLES) {
    const line =
      "no variables of files that are not in the cache: the program may not load the parser; add --allow-addons, and --allow-fs-read for where it is installed";
    return { missing: "variables", line };
  }
  return undefined;
}

/** A program that ends with one of the codes above, or with 0. */
function question(folder: string): string {
  return `if (process.permission?.has("fs.read", ${JSON.stringify(folder)}) === false) process.exit(${NO_RECORDING});
try { require("node:module").createRequire(${JSON.stringify(registerPath)})("@orangebox/instrument"); }
catch { process.exit(${NO_VARIABLES}); }`;
}

/** The options before the script that say what is allowed. */
function permissionOptions(given: readonly string[]): string[] {
  const found: string[] = [];
  for (const [at, text] of given.entries()) {
    const before = given[at - 1] ?? "";
    if (/^--allow-fs-(?:read|write)$/.test(text)) found.push(`${text}=${given[at + 1] ?? ""}`);
    else if (/^--(?:experimental-)?permission$|^--allow-/.test(text)) found.push(text);
    else if (!text.startsWith("-") && !before.startsWith("-")) break;
  }
  return found;
}
