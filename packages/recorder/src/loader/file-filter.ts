/**
 * Decides which files are recorded: yours, not those of `node_modules`, unless included.
 */
import { isAbsolute, sep } from "node:path";

/** Answers whether a file gets probes. */
export type FileFilter = (filename: string) => boolean;

/**
 * Turns a glob into a pattern over absolute paths with `/`.
 *
 * `**` any depth, `*` and `?` inside one name, `{a,b}` alternatives. A pattern without a slash
 * and without a wildcard names a package: everything in that folder of `node_modules`.
 */
export function globToPattern(glob: string, cwd: string): RegExp {
  const base = cwd.split(sep).join("/");
  let text = glob.split(sep).join("/");
  if (/^(?:@[\w.-]+\/)?[\w.-]+$/.test(text) && !/\.[cm]?[jt]sx?$/.test(text)) {
    return packageToPattern(text);
  }
  if (text.startsWith("./")) text = text.slice(2);
  const anchored = isAbsolute(text) || text.startsWith("**") ? text : `${base}/${text}`;
  let pattern = "";
  let depth = 0;
  for (let i = 0; i < anchored.length; i++) {
    const char = anchored[i] ?? "";
    if (char === "*" && anchored[i + 1] === "*") {
      i++;
      if (anchored[i + 1] === "/") {
        i++;
        pattern += "(?:.*/)?";
      } else pattern += ".*";
    } else if (char === "*") pattern += "[^/]*";
    else if (char === "?") pattern += "[^/]";
    else if (char === "{") {
      depth++;
      pattern += "(?:";
    } else if (char === "}" && depth > 0) {
      depth--;
      pattern += ")";
    } else if (char === "," && depth > 0) pattern += "|";
    else pattern += escape(char);
  }
  return new RegExp(`^${pattern}$`);
}

/** The files of a package, wherever it is installed; not those of packages inside of it. */
function packageToPattern(name: string): RegExp {
  return new RegExp(`/node_modules/${escape(name)}/(?!(?:.*/)?node_modules/)`);
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/**
 * Makes the filter of one run.
 *
 * Order: the recorder itself never; an excluded file never; an included file always; files below
 * `node_modules` not; everything else yes.
 */
export function createFileFilter(options: {
  include: readonly string[];
  includePackages?: readonly string[];
  exclude: readonly string[];
  cwd: string;
  ownFolders: readonly string[];
}): FileFilter {
  const include = [
    ...options.include.map((glob) => globToPattern(glob, options.cwd)),
    ...(options.includePackages ?? []).map(packageToPattern),
  ];
  const exclude = options.exclude.map((glob) => globToPattern(glob, options.cwd));
  const own = options.ownFolders.map((folder) => folder.split(sep).join("/"));
  return (filename) => {
    const path = filename.split(sep).join("/");
    if (own.some((folder) => path.startsWith(folder))) return false;
    if (exclude.some((pattern) => pattern.test(path))) return false;
    if (include.some((pattern) => pattern.test(path))) return true;
    return !path.includes("/node_modules/");
  };
}
