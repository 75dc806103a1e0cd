// Writes Istanbul's coverage counters into every module below BENCH_ROOT as it loads.
"use strict";
const { registerHooks } = require("node:module");
const { join } = require("node:path");
const { fileURLToPath, pathToFileURL } = require("node:url");
const { createInstrumenter } = require(
  join(process.env.BENCH_PEER, "node_modules/istanbul-lib-instrument"),
);

const root = pathToFileURL(process.env.BENCH_ROOT).href;
const instrumenters = new Map();

function instrumenterFor(esModules) {
  if (!instrumenters.has(esModules)) {
    instrumenters.set(
      esModules,
      createInstrumenter({ esModules, compact: false, produceSourceMap: false }),
    );
  }
  return instrumenters.get(esModules);
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith(root) || loaded.source == null) return loaded;
    const text = Buffer.from(loaded.source).toString("utf8");
    const source = instrumenterFor(loaded.format === "module").instrumentSync(
      text,
      fileURLToPath(url),
    );
    return { ...loaded, source };
  },
});
