/**
 * The suites of the campaign: packages that ship their tests to npm, and upstream trees that Debian keeps.
 *
 * Versions and hashes are pinned: npm's in `pinned/package-lock.json`, Debian's here.
 */
import type { Noise, Suite } from "./suite.ts";

const TAP = ["--reporter", "tap"];

function mocha(...args: string[]): string[] {
  return ["bin:mocha/bin/mocha.js", "--no-config", "--timeout", "60000", ...TAP, ...args];
}

function tape(...args: string[]): string[] {
  return ["bin:tape/bin/tape", ...args];
}

function tap(...args: string[]): string[] {
  return ["bin:tap/bin/run.js", "--no-coverage", "--reporter=tap", "--jobs=1", ...args];
}

function nodeTest(pattern: string): string[] {
  return ["--test", "--test-reporter=tap", "--test-concurrency=1", pattern];
}

function jest(...args: string[]): string[] {
  return ["bin:jest/bin/jest.js", "--runInBand", "--no-cache", ...args];
}

function ava(...args: string[]): string[] {
  return ["bin:ava/entrypoints/cli.mjs", "--tap", "--serial", ...args];
}

function vitest(...args: string[]): string[] {
  return ["bin:vitest/vitest.mjs", "run", "--reporter=tap-flat", ...args];
}

function aplus(adapter: string): string[] {
  return [
    "bin:promises-aplus-tests/lib/cli.js",
    adapter,
    "--reporter",
    "tap",
    "--timeout",
    "60000",
  ];
}

/** Without its file of TypeScript, and without the tests that start programs and are bound by time. */
const JEST_CONFIG = {
  testEnvironment: "node",
  testMatch: ["**/tests/*.test.js"],
  testPathIgnorePatterns: ["executableSubcommand"],
};

/** Which ends last, the process or its pipe, is chance. */
const EXIT_OR_CLOSE: Noise = {
  what: "lines of Node below the callback of exec",
  pattern: /(?:^ +at [^\n]*\(node:[^\n]*\)\n)+/gm,
};

/** Of a failed test: the engine tells `node:test` the place in the text that runs, and nothing lets us correct it. */
const NODE_TEST_COLUMN: Noise = {
  what: "the column in the location of a failed node:test",
  pattern: /(?<=location: '[^'\n]*:\d+:)\d+(?=')/g,
};

/** Those that do not compare with the native module `iconv`. */
const ICONV_TESTS = ["bom", "cesu8", "cyrillic", "greek", "main", "shiftjis", "streams", "turkish"]
  .concat("utf16", "utf7")
  .map((name) => `test/${name}-test.js`);

export const SUITES: readonly Suite[] = [
  {
    name: "abstract-level",
    source: { kind: "npm", name: "abstract-level" },
    runner: "tape",
    command: tape("test/self.js"),
  },
  {
    name: "acorn",
    source: {
      kind: "debian",
      name: "acorn",
      version: "8.8.1+ds+~cs25.17.7-2",
      archive: "acorn_8.8.1+ds+~cs25.17.7.orig.tar.xz",
      sha256: "4821469ea74e99c56dac155de9b1d503e5f83c52ca47cafada62bbd6c7d4da9a",
    },
    runner: "its own",
    command: ["test/run.js"],
    overlay: {
      "acorn/dist": "acorn/dist",
      "acorn-loose/dist": "acorn-loose/dist",
      "acorn-walk/dist": "acorn-walk/dist",
    },
  },
  {
    name: "ansi-styles",
    source: {
      kind: "debian",
      name: "node-ansi-styles",
      version: "6.2.1-2",
      archive: "node-ansi-styles_6.2.1.orig.tar.gz",
      sha256: "d95bc325706b92aba02df02587a72ea9023322ac00ea1f1fc5f79df2d3dfe8dc",
    },
    runner: "ava",
    command: ava(),
  },
  {
    name: "argparse",
    source: {
      kind: "debian",
      name: "node-argparse",
      version: "2.0.1-2",
      archive: "node-argparse_2.0.1.orig.tar.gz",
      sha256: "703c0a7443d19704641a8b9914fd8f84ddac7152ebc21c668b46dc05f8e807ba",
    },
    runner: "mocha",
    command: mocha("test/*.js"),
  },
  {
    name: "bl",
    source: {
      kind: "debian",
      name: "node-bl",
      version: "5.1.0-1",
      archive: "node-bl_5.1.0.orig.tar.gz",
      sha256: "5e351d604b8836fd24ce1ed8720939d9ddb3150b9ed49885ac6cefb2a543e07e",
    },
    runner: "tape",
    command: tape("test/test.js"),
  },
  {
    name: "bn.js",
    source: {
      kind: "debian",
      name: "node-bn.js",
      version: "5.2.1+~5.1.1-1",
      archive: "node-bn.js_5.2.1+~5.1.1.orig.tar.gz",
      sha256: "ec7ac66b304d7de67417022aa80128dbe19fdc01180aa37fd489676bd775f200",
    },
    runner: "mocha",
    command: mocha("test/*-test.js"),
  },
  {
    name: "body-parser",
    source: {
      kind: "debian",
      name: "node-body-parser",
      version: "1.20.1+~1.19.2-1",
      archive: "node-body-parser_1.20.1+~1.19.2.orig.tar.gz",
      sha256: "6d4f50e93ba724a97e75be77fc4aaea72fb43a74fbad57aa12f5cf1256c333df",
    },
    runner: "mocha",
    command: mocha("--require", "./test/support/env", "--check-leaks", "test/*.js"),
    overlay: { node_modules: "suite-body-parser/node_modules" },
  },
  {
    name: "chai",
    source: {
      kind: "debian",
      name: "node-chai",
      version: "4.3.7~ds1+~cs9.7.21-1",
      archive: "node-chai_4.3.7~ds1+~cs9.7.21.orig.tar.xz",
      sha256: "0b98db5691c75f5ef418be464d044c58399383d2f722bcbcc6ebf86e283484f3",
    },
    runner: "mocha",
    command: mocha("--require", "./test/bootstrap/index.js", "test/*.js"),
    overlay: { node_modules: "suite-chai/node_modules" },
  },
  {
    name: "co",
    source: {
      kind: "debian",
      name: "node-co",
      version: "4.6.0+~4.6.2-2",
      archive: "node-co_4.6.0+~4.6.2.orig.tar.gz",
      sha256: "2cbbd02e9c98b79130652d95a5d631c7607b117e70a4e929e327599fe5a38184",
    },
    runner: "mocha",
    command: mocha("test/*.js"),
  },
  {
    name: "commander",
    source: {
      kind: "debian",
      name: "node-commander",
      version: "9.4.1-1",
      archive: "node-commander_9.4.1.orig.tar.gz",
      sha256: "591ba7850546f51a710a776f9271f1401a08b0e2b831cbbc8354415273a9da12",
    },
    runner: "jest",
    command: jest("--config", JSON.stringify(JEST_CONFIG)),
  },
  {
    name: "detective",
    source: { kind: "npm", name: "detective" },
    runner: "tap",
    command: tap("test/*.js"),
  },
  {
    name: "eventemitter3",
    source: {
      kind: "debian",
      name: "node-eventemitter3",
      version: "4.0.7-3",
      archive: "node-eventemitter3_4.0.7.orig.tar.gz",
      sha256: "8031751e7e31bec7ca853453276307ff558226343222a29cd77fb9b12dcc651c",
    },
    runner: "mocha",
    command: mocha("test/test.js"),
  },
  {
    name: "express",
    source: {
      kind: "debian",
      name: "node-express",
      version: "4.18.2+~4.17.14-1",
      archive: "node-express_4.18.2+~4.17.14.orig.tar.gz",
      sha256: "a9ace1a92a2b0a7e3fcd7a7612553d6208a464561c15ad38f349fc3ab0d7cda0",
    },
    runner: "mocha",
    command: mocha(
      "--require",
      "./test/support/env",
      "--check-leaks",
      "test/*.js",
      "test/acceptance/*.js",
    ),
    overlay: { node_modules: "suite-express/node_modules" },
  },
  {
    name: "falafel",
    source: { kind: "npm", name: "falafel" },
    runner: "tape",
    command: tape("test/*.js"),
  },
  {
    name: "fast-json-stringify",
    source: { kind: "npm", name: "fast-json-stringify" },
    runner: "node:test",
    command: nodeTest("test/*.test.js"),
  },
  {
    name: "fast-uri",
    source: { kind: "npm", name: "fast-uri" },
    runner: "tape",
    command: tape("test/*.test.js"),
  },
  {
    name: "fastify",
    source: { kind: "npm", name: "fastify" },
    runner: "node:test",
    command: nodeTest(
      "test/{hooks,reply,stream,schema,plugin,custom-parser,route,decorator}*.test.js",
    ),
  },
  {
    name: "@fastify/deepmerge",
    source: { kind: "npm", name: "@fastify/deepmerge" },
    runner: "tape",
    command: tape("test/*.js"),
  },
  {
    name: "fastq",
    source: { kind: "npm", name: "fastq" },
    runner: "tape",
    command: tape("test/test.js", "test/promise.js"),
  },
  {
    name: "find-my-way",
    source: { kind: "npm", name: "find-my-way" },
    runner: "node:test",
    command: nodeTest("test/*.test.js"),
  },
  {
    name: "handlebars",
    source: {
      kind: "debian",
      name: "node-handlebars",
      version: "3:4.7.7+~4.1.0-1",
      archive: "node-handlebars_4.7.7+~4.1.0.orig.tar.gz",
      sha256: "3e0c144acab080ced1ccd9c6604788bfeb1add147c19642651872b2ce3efa0c4",
    },
    runner: "mocha",
    command: mocha(
      "--require",
      "./spec/env/node.js",
      "--ignore",
      "spec/umd*.js",
      "--ignore",
      "spec/amd*.js",
      "--ignore",
      "spec/spec.js",
      "spec/*.js",
    ),
    overlay: { dist: "handlebars/dist", node_modules: "handlebars/node_modules" },
  },
  {
    name: "hash.js",
    source: {
      kind: "debian",
      name: "node-hash.js",
      version: "1.1.7-4",
      archive: "node-hash.js_1.1.7.orig.tar.gz",
      sha256: "8354add18f0ea3fdc873d5c371629f03f6b759e5e54d4df45dd6a568a9decc8f",
    },
    runner: "mocha",
    command: mocha("test/*-test.js"),
  },
  {
    name: "iconv-lite",
    source: {
      kind: "debian",
      name: "node-iconv-lite",
      version: "0.6.3-3",
      archive: "node-iconv-lite_0.6.3.orig.tar.gz",
      sha256: "266ae0144bb7378422caf5da543bc8aec185af1f60f4310e4e8d93aefff518a9",
    },
    runner: "mocha",
    command: mocha(...ICONV_TESTS),
  },
  {
    name: "ini",
    source: {
      kind: "debian",
      name: "node-ini",
      version: "3.0.1-2",
      archive: "node-ini_3.0.1.orig.tar.gz",
      sha256: "4a5962022dd16137b12150332bbc77cbab0f913c9c6aaa08784b9b514aafdb47",
    },
    runner: "tap",
    command: tap("test/*.js"),
  },
  {
    name: "js-yaml",
    source: {
      kind: "debian",
      name: "node-js-yaml",
      version: "4.1.0+dfsg+~4.0.5-7",
      archive: "node-js-yaml_4.1.0+dfsg+~4.0.5.orig.tar.xz",
      sha256: "28f939967d9f93c6d993f6ce0a3293646887c6216933de20db525e3e30f68a7c",
    },
    runner: "mocha",
    command: mocha("test/*.js"),
    overlay: { dist: "js-yaml/dist" },
  },
  {
    name: "json5",
    source: {
      kind: "debian",
      name: "node-json5",
      version: "2.2.3+dfsg-1",
      archive: "node-json5_2.2.3+dfsg.orig.tar.xz",
      sha256: "01664ea79a36f8e4fff2accf487908ae2444bc6430bcf4a960f4a64398383e92",
    },
    runner: "tap",
    command: tap("test/*.js"),
    overlay: { "lib/unicode.js": "json5/lib/unicode.js" },
  },
  {
    name: "light-my-request",
    source: { kind: "npm", name: "light-my-request" },
    runner: "node:test",
    command: nodeTest("test/*.js"),
  },
  {
    name: "lunr",
    source: { kind: "npm", name: "lunr" },
    runner: "mocha",
    command: mocha("--ui", "tdd", "--require", "./test/test_helper.js", "test/*_test.js"),
  },
  {
    name: "markdown-it",
    source: {
      kind: "debian",
      name: "node-markdown-it",
      version: "22.2.3+dfsg+~12.2.3-2",
      archive: "node-markdown-it_22.2.3+dfsg+~12.2.3.orig.tar.xz",
      sha256: "807178efe123b0c1299de87b22f2ac3e223eb5098465c2b2add5b7ec663e4a93",
    },
    runner: "mocha",
    // One file waits a second for a server in a process of its own, which then transforms all of express.
    command: mocha("--ignore", "test/babelmark-responder.js", "test/*.js"),
    overlay: { node_modules: "suite-markdown-it/node_modules" },
  },
  {
    name: "mustache",
    source: {
      kind: "debian",
      name: "mustache.js",
      version: "3.0.1-1",
      archive: "mustache.js_3.0.1.orig.tar.gz",
      sha256: "37b4522b3a6d9d457a30f898ec045683e862c0894c08c4a53c9ba7cbc154faf3",
    },
    runner: "mocha",
    command: mocha("test/*-test.js"),
    noise: [EXIT_OR_CLOSE],
  },
  {
    name: "nopt",
    source: {
      kind: "debian",
      name: "node-nopt",
      version: "5.0.0-4",
      archive: "node-nopt_5.0.0.orig.tar.gz",
      sha256: "51f227f7f5e7abe84db82944bd5a83cdf52159a185b29b9b90d8ce4e8cf5b217",
    },
    runner: "tap",
    command: tap("test/*.js"),
  },
  {
    name: "on-exit-leak-free",
    source: { kind: "npm", name: "on-exit-leak-free" },
    runner: "tap",
    command: tap("test/*.js"),
  },
  {
    name: "pino-std-serializers",
    source: { kind: "npm", name: "pino-std-serializers" },
    runner: "node:test",
    command: nodeTest("test/*.test.js"),
    exempt: [NODE_TEST_COLUMN],
  },
  {
    name: "@pinojs/redact",
    source: { kind: "npm", name: "@pinojs/redact" },
    runner: "node:test",
    command: nodeTest("test/*.test.js"),
  },
  {
    name: "process-warning",
    source: { kind: "npm", name: "process-warning" },
    runner: "node:test",
    command: nodeTest("test/*.test.js"),
  },
  {
    name: "qs",
    source: { kind: "npm", name: "qs" },
    runner: "tape",
    command: tape("test/*.js"),
  },
  {
    name: "source-map",
    source: {
      kind: "debian",
      name: "node-source-map",
      version: "0.7.0++dfsg2+really.0.6.1-15",
      archive: "node-source-map_0.7.0++dfsg2+really.0.6.1.orig.tar.xz",
      sha256: "3c4a51448f1a4ee4e4f87428d0dd2b4ced18c4424c0d056cc84a24f49e97415e",
    },
    runner: "its own",
    command: ["test/run-tests.js"],
  },
  {
    name: "sprintf-js",
    source: {
      kind: "debian",
      name: "node-sprintf-js",
      version: "1.1.2+ds1+~1.1.2-1",
      archive: "node-sprintf-js_1.1.2+ds1+~1.1.2.orig.tar.xz",
      sha256: "813fd29ee3644fddb5aedebad6279cc051f0be4c9d2858e7ab4093716246d221",
    },
    runner: "mocha",
    command: mocha("test/*.js"),
  },
  {
    name: "tar-stream",
    source: {
      kind: "debian",
      name: "node-tar-stream",
      version: "2.2.0+~cs3.2.2-1",
      archive: "node-tar-stream_2.2.0+~cs3.2.2.orig.tar.gz",
      sha256: "2be252cde32439e9769de50c53d674c8ce130a530a03ef0e8580b8805089d9d3",
    },
    runner: "tape",
    command: tape("test/extract.js", "test/pack.js"),
  },
  {
    name: "through2",
    source: {
      kind: "debian",
      name: "node-through2",
      version: "4.0.2-2",
      archive: "node-through2_4.0.2.orig.tar.gz",
      sha256: "f87f62309825a967fd47706d957bcb3aaa1b61b7ef8748c836fb287ffb11739c",
    },
    runner: "mocha",
    command: mocha("test/test.js"),
  },
  {
    name: "when",
    source: {
      kind: "debian",
      name: "node-when",
      version: "3.7.8+ds-7",
      archive: "node-when_3.7.8+ds.orig.tar.gz",
      sha256: "7cb1fbd9a2e26a788c54cf7998b541ececb33d0daff094d6ebd50541bb747039",
    },
    runner: "promises-aplus-tests",
    command: aplus("test/promises-aplus-adapter.js"),
  },
  {
    name: "zod",
    source: { kind: "npm", name: "zod" },
    runner: "vitest",
    command: vitest("src/v3/tests"),
  },
];
