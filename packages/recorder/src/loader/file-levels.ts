/**
 * Decides at which level each file is recorded: the level of the run, or the one given for its glob.
 */
import { sep } from "node:path";
import { globToPattern } from "./file-filter.ts";

type Level = "calls" | "lines" | "writes";

/** Answers at which level a file is recorded. */
export type FileLevels = (filename: string) => Level;

/** Makes the answer for one run; of several globs that fit, the last one counts. */
export function createFileLevels(options: {
  readonly level: Level;
  /** Texts as `src/cart/**=writes`. */
  readonly levelFor: readonly string[];
  readonly cwd: string;
}): FileLevels {
  const rules = options.levelFor.flatMap((text) => {
    const rule = parseLevelFor(text);
    return rule === undefined
      ? []
      : [{ pattern: globToPattern(rule.glob, options.cwd), level: rule.level }];
  });
  if (rules.length === 0) return () => options.level;
  return (filename) => {
    const path = filename.split(sep).join("/");
    return rules.findLast(({ pattern }) => pattern.test(path))?.level ?? options.level;
  };
}

/** Reads `GLOB=LEVEL`; undefined when it is something else. */
export function parseLevelFor(text: string): { glob: string; level: Level } | undefined {
  const [, glob, level] = /^(.+)=(calls|lines|writes)$/.exec(text) ?? [];
  // The pattern allows no other word.
  return glob === undefined ? undefined : { glob, level: level as Level };
}
