// The TypeScript compiler, all 6 MB of it, at work on a project: `compile.cjs <path of tsc.js> …`.
"use strict";
process.on("exit", () => process.stdout.write(`BENCH {"readyMs":${performance.now()}}\n`));
const compiler = process.argv[2];
process.argv.splice(1, 2, compiler);
require(compiler);
