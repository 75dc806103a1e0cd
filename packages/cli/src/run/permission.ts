/**
 * Whether Node's permission model lets a program be recorded: Node itself is asked, with the
 * permissions of the program.
 */
import { registerPath } from "@orangebox/recorder/inheritance";
import { spawnSync } from "node:child_process";
import { dirname } from "node:path";

/**
 * Gives what to say when the program may not read the recorder; undefined when it may.
 *
 * @param given Options of Node, the script and its arguments.
 */
export function permissionProblem(given: readonly string[]): string | undefined {
  const options = permissionOptions(given);
  const inherited = process.env["NODE_OPTIONS"] ?? "";
  if (![...options, inherited].some((text) => /--(?:experimental-)?permission\b/.test(text))) {
    return undefined;
  }
  const folder = dirname(dirname(registerPath));
  const script = `process.exitCode = process.permission?.has("fs.read", ${JSON.stringify(folder)}) === false ? 1 : 0`;
  const { status } = spawnSync(process.execPath, [...options, "-e", script], { stdio: "ignore" });
  if (status === 0) return undefined;
  return `not recorded: the program may not read the recorder; add --allow-fs-read=${folder}/* and --allow-fs-write for the folder of recordings`;
}

/** The options before the script that say what is allowed. */
function permissionOptions(given: readonly string[]): string[] {
  const found: string[] = [];
  for (const [at, text] of given.entries()) {
    const before = given[at - 1] ?? "";
    if (/^--(?:experimental-)?permission$|^--allow-fs-(?:read|write)=/.test(text)) found.push(text);
    else if (/^--allow-fs-(?:read|write)$/.test(text)) found.push(`${text}=${given[at + 1] ?? ""}`);
    else if (!text.startsWith("-") && !before.startsWith("-")) break;
  }
  return found;
}
