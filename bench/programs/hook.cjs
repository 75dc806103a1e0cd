// The least that a loader hook does: `HOOK_TEXT` names a folder with other texts of the same modules.
"use strict";
const { enableCompileCache, registerHooks } = require("node:module");
const { readFileSync } = require("node:fs");
const { basename, join } = require("node:path");
const { fileURLToPath } = require("node:url");

const folder = process.env.HOOK_TEXT;
enableCompileCache(process.env.HOOK_CACHE);
registerHooks({
  load(url, context, next) {
    if (folder === undefined || !url.endsWith(".mjs")) return next(url, context);
    const source = readFileSync(join(folder, basename(fileURLToPath(url))));
    return { format: "module", source, shortCircuit: true };
  },
});
