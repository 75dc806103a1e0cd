const cp = require("child_process"); const path = require("path"); const { Worker } = require("worker_threads"); const cluster = require("cluster");
if (cluster.isPrimary) {
const show = (what, p) => console.log(what, JSON.stringify([process.execArgv, process.env.NODE_OPTIONS, Object.keys(process.env).filter((k) => /ORANGE/.test(k)), Object.keys(require.cache).length > 0]));
show("main");
const kid = path.join(__dirname, "kid.cjs");
const sync = cp.spawnSync(process.execPath, ["--no-warnings", kid, "spawnSync"], { encoding: "utf8" }); console.log(sync.stdout, sync.stderr.split("\n").slice(0, 5).join("\n"), sync.status);
console.log(cp.spawnSync(process.execPath, [kid, "empty env"], { encoding: "utf8", env: {} }).stdout);
try { cp.execSync(`node "${kid}" execSync`, { stdio: "pipe", encoding: "utf8" }); } catch (e) { console.log(e.stdout, e.status); }
cp.fork(kid, ["fork"], { execArgv: ["--no-deprecation"], stdio: "pipe" }).on("exit", (code) => { console.log("fork", code);
 const f = cp.fork(kid, ["fork2"], { stdio: ["ignore", "inherit", "ignore", "ipc"] }); console.log(f.spawnargs.length); f.on("exit", (c) => { console.log("fork2", c);
  cp.exec(`node ${kid} exec`, (e, out) => { console.log(e.code, out);
   const w = new Worker(path.join(__dirname, "kid.cjs"), { argv: ["worker"], execArgv: [], env: {} }); w.on("error", (e) => console.log("worker", e.message, w.constructor === Worker, w instanceof Worker));
   w.on("exit", (c) => { console.log("exit", c); cluster.setupPrimary({ exec: kid, args: ["cluster"] }); const cw = cluster.fork(); cw.on("exit", (c) => console.log("cluster", c)); });
  }); }); });
}
