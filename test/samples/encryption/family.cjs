// The key is set in code alone; a worker and a child in another folder fail as well.
const { install } = require(process.env["RECORDER"]);
install({ encryptTo: [process.argv[2]] });
const { spawnSync } = require("node:child_process");
const { Worker } = require("node:worker_threads");
const file = require.resolve("./fails.cjs");
const child = spawnSync(process.execPath, [file], { cwd: "/", encoding: "utf8" });
console.log("child", child.status);
const worker = new Worker(file);
worker.on("error", (error) => {
  console.log("worker", error.message);
  require("./fails.cjs");
});
