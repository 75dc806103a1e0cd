/**
 * How a child process comes to be recorded: what its parent hands on in the environment, and how it is
 * taken out there before the program of the child looks.
 *
 * The program sees the environment and the `process.execArgv` of a run without the recorder.
 */
import { realpathSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { registerFile } from "../register-file.ts";

/** What a parent hands on, as JSON in one variable. */
export interface Inheritance {
  /** `ORANGEBOX_…` variables that count as the child's own, without being seen there. */
  readonly settings: Readonly<Record<string, string>>;
  readonly runId?: string | undefined;
  /** Process number of the recorded parent. */
  readonly parent?: number | undefined;
  /** KiB of stack that every Node is started with. */
  readonly stackSizeKib?: number | undefined;
}

/** The variable that holds it. */
const VARIABLE = "ORANGEBOX_RUN";
const MAX_LENGTH = 100_000;

/** The file that starts the recorder. */
export const registerPath: string = fileURLToPath(registerFile);

/** What is put in front of `NODE_OPTIONS`; a path may have spaces. */
const nodeOption: string = `--require "${registerPath.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

/**
 * The two variables by which a child is recorded.
 *
 * @param nodeOptions What `NODE_OPTIONS` would be without us.
 */
export function inheritedVariables(
  nodeOptions: string | undefined,
  inheritance: Inheritance,
): Readonly<Record<string, string>> {
  return {
    NODE_OPTIONS: nodeOptions === undefined ? nodeOption : `${nodeOption} ${nodeOptions}`,
    [VARIABLE]: JSON.stringify(inheritance),
  };
}

/** Whether `NODE_OPTIONS` has it that processes are recorded, or that they may not be. */
export function isSettled(nodeOptions: string | undefined): boolean {
  if (nodeOptions === undefined) return false;
  return nodeOptions.includes(registerPath) || /--(?:experimental-)?permission\b/.test(nodeOptions);
}

/** The environment of a process that is to be recorded. */
export function recordedEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  inheritance: Inheritance,
): Record<string, string | undefined> {
  return { ...environment, ...inheritedVariables(environment["NODE_OPTIONS"], inheritance) };
}

/**
 * Takes what a parent handed on out of the environment of this process.
 *
 * @returns Undefined when it was started otherwise.
 */
export function takeInheritance(): Inheritance | undefined {
  const text = process.env[VARIABLE];
  const inheritance = text === undefined ? undefined : parse(text);
  if (text !== undefined) delete process.env[VARIABLE];
  const options = process.env["NODE_OPTIONS"];
  if (inheritance !== undefined && options?.startsWith(nodeOption) === true) {
    const rest = options.slice(nodeOption.length);
    if (rest === "") delete process.env["NODE_OPTIONS"];
    else process.env["NODE_OPTIONS"] = rest.replace(/^ /, "");
  }
  hideArguments(process.execArgv, inheritance?.stackSizeKib);
  return inheritance;
}

function parse(text: string): Inheritance | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isRight =
      typeof value === "object" &&
      value !== null &&
      "settings" in value &&
      typeof value.settings === "object" &&
      value.settings !== null &&
      Object.values(value.settings).every((setting) => typeof setting === "string");
    return isRight ? (value as Inheritance) : undefined;
  } catch {
    // Somebody else's variable of this name.
    return undefined;
  }
}

/** The option that doubles the stack. */
export function stackOption(kib: number): string {
  return `--stack-size=${kib}`;
}

/** Takes the options that load the recorder out of the arguments, in place. */
export function hideArguments(execArgv: string[], stackSizeKib: number | undefined): void {
  for (let at = execArgv.length - 1; at >= 0; at--) {
    const text = execArgv[at] ?? "";
    if (stackSizeKib !== undefined && text === stackOption(stackSizeKib)) execArgv.splice(at, 1);
    const [, value] = /^--(?:require|import)=(.*)$/s.exec(text) ?? [];
    if (value !== undefined && isRegister(value)) execArgv.splice(at, 1);
    else if (["-r", "--require", "--import"].includes(text) && isRegister(execArgv[at + 1] ?? "")) {
      execArgv.splice(at, 2);
    }
  }
}

/** Whether an option's value names one of the files that start the recorder. */
function isRegister(value: string): boolean {
  if (/^(?:orangebox|@orangebox\/recorder)\/register$/.test(value)) return true;
  try {
    if (value.startsWith("file:")) return isRegister(fileURLToPath(value));
    if (!isAbsolute(value) && !value.startsWith(".")) return false;
    const path = realpathSync(resolve(value));
    return path === realpathSync(registerPath) || path === registerPath.replace(/\.cjs$/, ".js");
  } catch {
    return false;
  }
}
