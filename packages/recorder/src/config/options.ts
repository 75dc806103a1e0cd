/**
 * The table of every option: name, type, default, limits, environment variable, meaning.
 *
 * resolve-config.ts validates with it, and a test keeps docs/configuration.md equal to it.
 */

/** What a value must be. */
type OptionType =
  | { readonly kind: "boolean" }
  /** A whole number within the limits, both included. */
  | { readonly kind: "integer"; readonly min: number; readonly max: number }
  | { readonly kind: "text" }
  /** A file or folder; relative ones are taken from the working folder, or the config file's folder. */
  | { readonly kind: "path" }
  | { readonly kind: "choice"; readonly values: readonly string[] }
  /** A list of texts; in the environment separated by commas, or one a line. */
  | { readonly kind: "list" };

/** One option. */
export interface OptionEntry {
  /** Dotted when it is inside a group: `scrub.names`. */
  readonly name: string;
  readonly type: OptionType;
  /** Undefined: has none, or it is worked out (then `defaultText` says how). */
  readonly default: boolean | number | string | readonly string[] | undefined;
  readonly defaultText?: string;
  readonly env: string;
  /** One sentence for docs/configuration.md. */
  readonly meaning: string;
}

const MIB = 2 ** 20;
const boolean: OptionType = { kind: "boolean" };
const path: OptionType = { kind: "path" };
const list: OptionType = { kind: "list" };
const text: OptionType = { kind: "text" };

function integer(min: number, max: number): OptionType {
  return { kind: "integer", min, max };
}

/** Every option, in the order of docs/configuration.md. */
export const OPTIONS: readonly OptionEntry[] = [
  {
    name: "enabled",
    type: boolean,
    default: true,
    env: "ORANGEBOX_ENABLED",
    meaning: "Whether anything is recorded at all.",
  },
  {
    name: "level",
    type: { kind: "choice", values: ["calls", "lines", "writes"] },
    default: "calls",
    env: "ORANGEBOX_LEVEL",
    meaning: "How many probes: calls; also every statement; also every write.",
  },
  {
    name: "levelFor",
    type: list,
    default: [],
    env: "ORANGEBOX_LEVEL_FOR",
    meaning:
      "Other levels for some files, as `src/cart/**=writes`; the last glob that fits counts.",
  },
  {
    name: "include",
    type: list,
    default: [],
    env: "ORANGEBOX_INCLUDE",
    meaning: "Globs of files that are recorded although they would be left out, as `node_modules`.",
  },
  {
    name: "includePackages",
    type: list,
    default: [],
    env: "ORANGEBOX_INCLUDE_PACKAGES",
    meaning:
      "Names of packages in `node_modules` that are recorded, without the packages they bring.",
  },
  {
    name: "exclude",
    type: list,
    default: [],
    env: "ORANGEBOX_EXCLUDE",
    meaning: "Globs of files that are never recorded; wins over `include`.",
  },
  {
    name: "ringCapacity",
    type: integer(16, 2 ** 24),
    default: 262_144,
    env: "ORANGEBOX_RING_CAPACITY",
    meaning: "Events kept per thread, 4 bytes each; rounded up to a power of two.",
  },
  {
    name: "outputDir",
    type: path,
    default: undefined,
    defaultText: "the working folder",
    env: "ORANGEBOX_OUT",
    meaning:
      "Folder for recordings; made when missing. A value ending in `.flight` or `.flight.age` sets `outputFile`.",
  },
  {
    name: "outputFile",
    type: path,
    default: undefined,
    env: "ORANGEBOX_OUTPUT_FILE",
    meaning: "Exact file for the first recording of the run; later ones get a number.",
  },
  {
    name: "encryptTo",
    type: list,
    default: [],
    env: "ORANGEBOX_ENCRYPT_TO",
    meaning:
      "Public keys (`age1…`) that recordings are encrypted to; see [encryption.md](encryption.md).",
  },
  {
    name: "dumpOnCrash",
    type: boolean,
    default: true,
    env: "ORANGEBOX_DUMP_ON_CRASH",
    meaning: "Write a box at an uncaught error or an unhandled rejection.",
  },
  {
    name: "onExit",
    type: boolean,
    default: false,
    env: "ORANGEBOX_ON_EXIT",
    meaning: "Also write a box when the program ends with a code other than 0.",
  },
  {
    name: "captureDeadlineMs",
    type: integer(1, 60_000),
    default: 250,
    env: "ORANGEBOX_CAPTURE_DEADLINE_MS",
    meaning: "Time for looking at values in one capture; what is left becomes `truncated`.",
  },
  {
    name: "captureMaxBytes",
    type: integer(1024, 512 * MIB),
    default: 20 * MIB,
    env: "ORANGEBOX_CAPTURE_MAX_BYTES",
    meaning: "Size of all values in one capture.",
  },
  {
    name: "captureMaxMutations",
    type: integer(0, 10_000_000),
    default: 200_000,
    env: "ORANGEBOX_CAPTURE_MAX_MUTATIONS",
    meaning: "Writes kept per recorded scope.",
  },
  {
    name: "maxString",
    type: integer(0, 2 ** 28),
    default: 10_240,
    env: "ORANGEBOX_MAX_STRING",
    meaning: "UTF-16 units kept of a string.",
  },
  {
    name: "maxContainer",
    type: integer(0, 1_000_000),
    default: 200,
    env: "ORANGEBOX_MAX_CONTAINER",
    meaning: "Entries kept of an array, object, Map or Set.",
  },
  {
    name: "maxDepth",
    type: integer(0, 1000),
    default: 6,
    env: "ORANGEBOX_MAX_DEPTH",
    meaning: "How many steps from a local an object may be.",
  },
  {
    name: "reprLimit",
    type: integer(8, 100_000),
    default: 200,
    env: "ORANGEBOX_REPR_LIMIT",
    meaning: "UTF-16 units kept of the short text of a value and of a key.",
  },
  {
    name: "scrub.enabled",
    type: boolean,
    default: true,
    env: "ORANGEBOX_SCRUB",
    meaning: "Whether secrets are hidden. Switching it off writes them into the file.",
  },
  {
    name: "scrub.names",
    type: list,
    default: [],
    env: "ORANGEBOX_SCRUB_NAMES",
    meaning: "Further names whose values are hidden, compared word by word.",
  },
  {
    name: "scrub.patterns",
    type: list,
    default: [],
    env: "ORANGEBOX_SCRUB_PATTERNS",
    meaning: "Further regular expressions; what they match in any text is hidden.",
  },
  {
    name: "scrub.allow",
    type: list,
    default: [],
    env: "ORANGEBOX_SCRUB_ALLOW",
    meaning: "Names that are shown although the scrubber would hide them.",
  },
  {
    name: "stateDir",
    type: path,
    default: undefined,
    defaultText: "`$XDG_STATE_HOME/orangebox`, else `~/.local/state/orangebox`",
    env: "ORANGEBOX_STATE_DIR",
    meaning: "Folder for rings; `flight recover` looks there.",
  },
  {
    name: "cacheDir",
    type: path,
    default: undefined,
    defaultText: "`$XDG_CACHE_HOME/orangebox`, else `~/.cache/orangebox`",
    env: "ORANGEBOX_CACHE_DIR",
    meaning: "Folder for transformed modules.",
  },
  {
    name: "cacheMaxBytes",
    type: integer(MIB, 2 ** 50),
    default: 512 * MIB,
    env: "ORANGEBOX_CACHE_MAX_BYTES",
    meaning:
      "Size of all transformed modules kept in `cacheDir`; those not used for longest go first.",
  },
  {
    name: "ringRetentionDays",
    type: integer(0, 3650),
    default: 7,
    env: "ORANGEBOX_RING_RETENTION_DAYS",
    meaning:
      "Rings of dead processes that nobody recovered are removed at a start when they are older.",
  },
  {
    name: "ringRetentionCount",
    type: integer(0, 1_000_000),
    default: 100,
    env: "ORANGEBOX_RING_RETENTION_COUNT",
    meaning: "Rings of dead processes kept for recovery; the oldest are removed first.",
  },
  {
    name: "ringRetentionBytes",
    type: integer(0, 2 ** 50),
    default: 512 * MIB,
    env: "ORANGEBOX_RING_RETENTION_BYTES",
    meaning: "Size of the rings of dead processes kept for recovery.",
  },
  {
    name: "maxBoxes",
    type: integer(1, 1_000_000),
    default: 200,
    env: "ORANGEBOX_MAX_BOXES",
    meaning: "Boxes kept in `outputDir`; the oldest of ours are deleted first.",
  },
  {
    name: "maxBoxBytes",
    type: integer(MIB, 2 ** 50),
    default: 1024 * MIB,
    env: "ORANGEBOX_MAX_BOX_BYTES",
    meaning: "Size of all boxes kept in `outputDir`; the oldest of ours are deleted first.",
  },
  {
    name: "maxBoxesPerMinute",
    type: integer(1, 100_000),
    default: 5,
    env: "ORANGEBOX_MAX_BOXES_PER_MINUTE",
    meaning: "Boxes written per minute for the same failure; further ones are only counted.",
  },
  {
    name: "commit",
    type: text,
    default: undefined,
    env: "ORANGEBOX_COMMIT",
    meaning: "Version of the program, kept in each box.",
  },
  {
    name: "service",
    type: text,
    default: undefined,
    defaultText: "`OTEL_SERVICE_NAME`, else `FLIGHT_SERVICE`",
    env: "ORANGEBOX_SERVICE",
    meaning: "Name of the service, kept in each box.",
  },
  {
    name: "report",
    type: path,
    default: undefined,
    env: "ORANGEBOX_REPORT",
    meaning: "File to which each box adds a JSON line; nothing is printed then.",
  },
  {
    name: "children",
    type: boolean,
    default: true,
    env: "ORANGEBOX_CHILDREN",
    meaning: "Whether child processes are recorded as well, each into a box of its own.",
  },
  {
    name: "quiet",
    type: boolean,
    default: false,
    env: "ORANGEBOX_QUIET",
    meaning: "Print nothing, not even where a box was written.",
  },
];

/** Variables that begin with `ORANGEBOX_` and are no options. */
export const OTHER_VARIABLES: readonly string[] = ["ORANGEBOX_CONFIG", "ORANGEBOX_RUN"];
