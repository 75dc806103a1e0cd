const { execFileSync } = require("node:child_process");
const { join } = require("node:path");
const { Worker } = require("node:worker_threads");
const v8 = require("node:v8");
const script = require("./script.cjs");
function late(code) {
  if (code === 0) {
    console.log("leaving");
  } else {
    console.log("failing");
  }
  // Counts that a program takes itself are mapped as well.
  v8.takeCoverage();
  return code ? "bad" : "good";
}
process.on("exit", late);
console.log(script.f(1), execFileSync(process.execPath, [join(__dirname, "work.cjs"), "1"], { encoding: "utf8" }));
console.log(execFileSync(process.execPath, [join(__dirname, "shapes.mjs")], { encoding: "utf8" }));
new Worker(join(__dirname, "work.cjs"), { argv: ["2"] });
