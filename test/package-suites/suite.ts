/**
 * What the campaign of package suites knows about one suite: where the package and its tests come
 * from, how they are run, and which words of the output are noise. The list itself is suites.ts.
 */

/** A package of the lock file of `pinned/`, whose published tarball ships its tests. */
export interface NpmSource {
  readonly kind: "npm";
  readonly name: string;
}

/** The upstream tree that a Debian source package keeps, without Debian's patches. */
export interface DebianSource {
  readonly kind: "debian";
  /** Source package, `node-semver`. */
  readonly name: string;
  /** Debian's version; the part before the last hyphen is upstream's. */
  readonly version: string;
  /** File name and SHA-256 of the archive that is unpacked. */
  readonly archive: string;
  readonly sha256: string;
}

export interface Suite {
  /** The package, as people install it. */
  readonly name: string;
  readonly source: NpmSource | DebianSource;
  /** What runs the tests, as the table names it. */
  readonly runner: string;
  /** Arguments for `node`; `bin:` names a file below `node_modules`. */
  readonly command: readonly string[];
  /** Folder inside of the package where the command runs. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Built files that the tree lacks: folder in the tree, and where npm's package has it. */
  readonly overlay?: Readonly<Record<string, string>>;
  /** Noise that only this suite prints, on top of durations; each with its reason. */
  readonly noise?: readonly Noise[];
  /** Whether the runner prints its files in the order in which they end. */
  readonly anyOrder?: boolean;
  /** What cannot be the same, with the reason: these lines are taken out before comparing. */
  readonly exempt?: readonly Noise[];
}

/** Text that differs between two plain runs as well. */
export interface Noise {
  readonly what: string;
  readonly pattern: RegExp;
}
