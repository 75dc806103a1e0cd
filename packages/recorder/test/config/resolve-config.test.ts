/** Where options come from, and how each mistake is told. */
import { isFlightError } from "@orangebox/format";
import { expect, test } from "vitest";
import { OPTIONS } from "../../src/config/options.ts";
import {
  type Config,
  type ConfigSources,
  resolveConfig,
  resolveConfigSafely,
} from "../../src/config/resolve-config.ts";

type Given = Partial<Omit<ConfigSources, "code" | "readText">> & {
  /** Anything: programs in JavaScript pass what they like. */
  readonly code?: unknown;
  readonly files?: Readonly<Record<string, string>>;
};

function sources({ code, files = {}, ...rest }: Given): ConfigSources {
  return {
    env: {},
    cwd: "/home/me/app/src",
    home: "/home/me",
    readText: (path) => files[path],
    ...rest,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Wrong options are the point.
    ...(code === undefined ? {} : { code: code as ConfigSources["code"] }),
  };
}

function config(given: Given = {}): Config {
  return resolveConfig(sources(given));
}

/** The message and the hint of every problem. */
function problems(given: Given): string[][] {
  return resolveConfigSafely(sources(given)).problems.map(({ message, hint }) => [message, hint]);
}

const FILE = "/home/me/app/orangebox.config.json";

test("has the documented defaults", () => {
  expect(config()).toMatchObject({
    enabled: true,
    level: "calls",
    ringCapacity: 262_144,
    outputDir: "/home/me/app/src",
    outputFile: undefined,
    dumpOnCrash: true,
    onExit: false,
    captureDeadlineMs: 250,
    captureMaxBytes: 20 * 2 ** 20,
    maxString: 10_240,
    maxContainer: 200,
    maxDepth: 6,
    reprLimit: 200,
    scrub: { enabled: true, names: [], patterns: [], allow: [] },
    stateDir: "/home/me/.local/state/orangebox",
    cacheDir: "/home/me/.cache/orangebox",
    cacheMaxBytes: 512 * 2 ** 20,
    quiet: false,
  });
});

test("prefers code to the environment, and both to the file", () => {
  const { maxDepth, maxString, maxContainer, reprLimit, origins } = config({
    code: { maxDepth: 1 },
    env: { ORANGEBOX_MAX_DEPTH: "2", ORANGEBOX_MAX_STRING: "2" },
    files: { [FILE]: '{"maxDepth": 3, "maxString": 3, "maxContainer": 3}' },
  });
  expect([maxDepth, maxString, maxContainer, reprLimit]).toEqual([1, 2, 3, 200]);
  expect(origins).toMatchObject({
    maxDepth: "code",
    maxString: "environment",
    maxContainer: FILE,
    reprLimit: "default",
  });
});

test("searches the file upwards, but not beyond the nearest package.json", () => {
  const file = { "/home/me/orangebox.config.json": '{"maxDepth": 3}' };
  expect(config({ files: file }).maxDepth).toBe(3);
  expect(config({ files: { ...file, "/home/me/app/package.json": "{}" } }).maxDepth).toBe(6);
  const beside = { [FILE]: '{"maxDepth": 4}', "/home/me/app/package.json": "{}" };
  expect(config({ files: beside }).maxDepth).toBe(4);
});

test("takes the file that ORANGEBOX_CONFIG names", () => {
  const env = { ORANGEBOX_CONFIG: "../other.json" };
  expect(config({ env, files: { "/home/me/app/other.json": '{"quiet": true}' } }).quiet).toBe(true);
  expect(problems({ env })).toEqual([
    [
      "the config file /home/me/app/other.json does not exist",
      "Correct or unset ORANGEBOX_CONFIG.",
    ],
  ]);
});

test("takes relative paths from the folder they are written for", () => {
  const files = { [FILE]: '{"stateDir": "state"}' };
  const { stateDir, outputDir } = config({ files, env: { ORANGEBOX_OUT: "out" } });
  expect({ stateDir, outputDir }).toEqual({
    stateDir: "/home/me/app/state",
    outputDir: "/home/me/app/src/out",
  });
});

test("takes a value of ORANGEBOX_OUT that ends in .flight for a file", () => {
  const { outputDir, outputFile } = config({ env: { ORANGEBOX_OUT: "/x/crash.flight" } });
  expect({ outputDir, outputFile }).toEqual({ outputDir: "/x", outputFile: "/x/crash.flight" });
});

test("reads lists and switches from the environment", () => {
  const env = {
    ORANGEBOX_INCLUDE: "node_modules/a/**, lib/*.js",
    ORANGEBOX_DUMP_ON_CRASH: "off",
    ORANGEBOX_QUIET: "1",
    ORANGEBOX_LEVEL: "",
  };
  expect(config({ env })).toMatchObject({
    include: ["node_modules/a/**", "lib/*.js"],
    dumpOnCrash: false,
    quiet: true,
    level: "calls",
  });
});

test("honours the folders of the XDG specification when they are absolute", () => {
  const env = { XDG_STATE_HOME: "/state", XDG_CACHE_HOME: "relative" };
  const { stateDir, cacheDir } = config({ env });
  expect({ stateDir, cacheDir }).toEqual({
    stateDir: "/state/orangebox",
    cacheDir: "/home/me/.cache/orangebox",
  });
});

test("takes the service from the variables of others when it has none of its own", () => {
  const others = { OTEL_SERVICE_NAME: "otel", FLIGHT_SERVICE: "flight" };
  expect(config({ env: others }).service).toBe("otel");
  expect(config({ env: { FLIGHT_SERVICE: "flight" } }).service).toBe("flight");
  expect(config({ env: { ...others, ORANGEBOX_SERVICE: "own" } }).service).toBe("own");
});

test("rounds the capacity of the ring up to a power of two", () => {
  expect(config({ code: { ringCapacity: 1000 } }).ringCapacity).toBe(1024);
  expect(config({ code: { ringCapacity: 1024 } }).ringCapacity).toBe(1024);
});

const SEE = "Correct the value; see docs/configuration.md for the options.";

const MISTAKES: { given: Given; expected: string[] }[] = [
  {
    given: { code: { maxDept: 3 } },
    expected: ["the options: there is no option maxDept", "Did you mean maxDepth?"],
  },
  {
    given: { code: { ring_capacity: 3 } },
    expected: ["the options: there is no option ring_capacity", "Did you mean ringCapacity?"],
  },
  {
    given: { code: { scrub: { name: [] } } },
    expected: ["the options: there is no option scrub.name", "Did you mean scrub.names?"],
  },
  {
    given: { code: { frobnicate: true } },
    expected: [
      "the options: there is no option frobnicate",
      "See docs/configuration.md for the options.",
    ],
  },
  {
    given: { code: { maxDepth: "6" } },
    expected: ['the options: maxDepth must be a whole number from 0 to 1000, not "6"', SEE],
  },
  {
    given: { code: { maxDepth: Number.NaN } },
    expected: ["the options: maxDepth must be a whole number from 0 to 1000, not NaN", SEE],
  },
  {
    given: { code: { ringCapacity: 2 ** 25 } },
    expected: [
      "the options: ringCapacity must be a whole number from 16 to 16777216, not 33554432",
      SEE,
    ],
  },
  {
    given: { code: { quiet: null } },
    expected: ["the options: quiet must be true or false, not null", SEE],
  },
  {
    given: { code: { include: "a" } },
    expected: ['the options: include must be a list of texts, not "a"', SEE],
  },
  {
    given: { code: { scrub: [] } },
    expected: ["the options: scrub must be an object, not a list", SEE],
  },
  {
    given: { code: { scrub: { patterns: ["("] } } },
    expected: ["the options: scrub.patterns must be regular expressions, not a list", SEE],
  },
  {
    given: { env: { ORANGEBOX_LEVEL: "all" } },
    expected: [
      'the environment: ORANGEBOX_LEVEL must be one of calls, lines, writes, not "all"',
      SEE,
    ],
  },
  {
    given: { env: { ORANGEBOX_MAX_DEPTH: "-1" } },
    expected: [
      'the environment: ORANGEBOX_MAX_DEPTH must be a whole number from 0 to 1000, not "-1"',
      SEE,
    ],
  },
  {
    given: { env: { ORANGEBOX_LEVLE: "lines" } },
    expected: [
      "the environment: there is no option ORANGEBOX_LEVLE",
      "Did you mean ORANGEBOX_LEVEL?",
    ],
  },
  {
    given: { files: { [FILE]: '{"levell": "calls"}' } },
    expected: [`${FILE}: there is no option levell`, "Did you mean level?"],
  },
  {
    given: { files: { [FILE]: "[]" } },
    expected: [`the config file ${FILE} holds no object`, "Write { } around the options."],
  },
];

test.each(MISTAKES)("says what is wrong: $expected.0", ({ given, expected }) => {
  expect(problems(given)).toEqual([expected]);
  let thrown: unknown;
  try {
    config(given);
  } catch (error) {
    thrown = error;
  }
  expect(isFlightError(thrown, "FLIGHT_BAD_CONFIG")).toBe(true);
});

test("uses the next source for an option that is wrong, and keeps the others", () => {
  const { config: resolved, problems: found } = resolveConfigSafely(
    sources({
      code: { maxDepth: -1, quiet: true },
      env: { ORANGEBOX_MAX_DEPTH: "5" },
    }),
  );
  expect(found).toHaveLength(1);
  expect(resolved).toMatchObject({ maxDepth: 5, quiet: true });
});

test("says that a file is no JSON, and that it cannot be read", () => {
  expect(problems({ files: { [FILE]: "{" } })[0]?.[0]).toContain(`${FILE} is no JSON: `);
  const { problems: found } = resolveConfigSafely({
    ...sources({}),
    readText() {
      throw new Error("EACCES");
    },
  });
  expect(found[0]?.message).toContain("cannot be read: EACCES");
});

test("ignores other people's variables and the schema key of editors", () => {
  const env = { ORANGEBOX_ZZZZZZZZZZ: "1", PATH: "/bin" };
  expect(problems({ env, files: { [FILE]: '{"$schema": "x"}' } })).toEqual([]);
});

test("works in a program whose working folder is gone", () => {
  expect(config({ cwd: "" }).outputDir).toBe("/");
});

test("has a variable for each option, and no variable twice", () => {
  expect(new Set(OPTIONS.map(({ env }) => env)).size).toBe(OPTIONS.length);
  expect(OPTIONS.every(({ env }) => env.startsWith("ORANGEBOX_"))).toBe(true);
});

const KEY = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";

test("public keys come from every place", () => {
  expect(config({ code: { encryptTo: [KEY] } }).encryptTo).toEqual([KEY]);
  const env = { ORANGEBOX_ENCRYPT_TO: `${KEY},${KEY}` };
  expect(config({ env }).encryptTo).toEqual([KEY, KEY]);
  const files = { [FILE]: JSON.stringify({ encryptTo: [KEY] }) };
  expect(config({ files }).encryptTo).toEqual([KEY]);
  expect(config().encryptTo).toEqual([]);
  expect(config({ files, code: { encryptTo: [] } }).encryptTo).toEqual([]);
});

const slip = KEY.replace("zvky", "zvkk");
const wrongKeys: [string, Given][] = [
  ["a misspelt key in code", { code: { encryptTo: [slip] } }],
  ["a secret key", { code: { encryptTo: ["AGE-SECRET-KEY-1GFPYYSJZ"] } }],
  ["a text that is no list", { code: { encryptTo: KEY } }],
  ["a misspelt key in the environment", { env: { ORANGEBOX_ENCRYPT_TO: slip } }],
  ["a misspelt variable", { env: { ORANGEBOX_ENCRYPT_T: KEY } }],
  ["a misspelt key in a file", { files: { [FILE]: JSON.stringify({ encryptTo: [slip] }) } }],
  ["a misspelt option in a file", { files: { [FILE]: JSON.stringify({ encrypTo: [KEY] }) } }],
  ["a file that is no JSON", { files: { [FILE]: `{ "encryptTo": ["${KEY}"], }` } }],
];

test.each(wrongKeys)("with %s nothing is written rather than in the clear", (_, given) => {
  const found = resolveConfigSafely(sources(given));
  expect(found.problems).toHaveLength(1);
  expect(found.config.encryptTo).toEqual(["unusable"]);
  expect(found.problems[0]?.message).not.toContain("SECRET");
  expect(() => config(given)).toThrow(expect.objectContaining({ code: "FLIGHT_BAD_CONFIG" }));
});

test("a misspelt key in one place and a good one in another: the good one counts", () => {
  const env = { ORANGEBOX_ENCRYPT_TO: slip };
  const files = { [FILE]: JSON.stringify({ encryptTo: [KEY] }) };
  const found = resolveConfigSafely(sources({ env, files }));
  expect(found.config.encryptTo).toEqual([KEY]);
  expect(found.problems).toHaveLength(1);
});
