/**
 * `node --require orangebox/register app.ts`: the way in that leaves the entry with the CommonJS
 * loader, so that its stack traces are those of a run without the recorder.
 */
"use strict";

try {
  // One file with everything that start-up needs; scripts/bundle-commonjs.ts makes it.
  const bundle = require.resolve("./dist/register.cjs");
  // Without an entry in the cache, a second --require of this file comes here again.
  if (globalThis[Symbol.for("orangebox.recorder.1")] === undefined) require(bundle);
  // The program sees only its own modules in require.cache.
  const { _pathCache: paths = {} } = require("node:module");
  for (const file of [__filename, bundle]) delete require.cache[file];
  for (const key of Object.keys(paths)) {
    if (paths[key] === __filename || paths[key] === bundle) delete paths[key];
  }
} catch (error) {
  // A child process that is another Node, or may not read us, stays as it is.
  const isInherited = process.env.ORANGEBOX_RUN !== undefined;
  try {
    if (!isInherited)
      require("node:fs").writeSync(2, `[flight] not recording: ${error && error.message}\n`);
  } catch {
    // There is no stderr: nobody to tell.
  }
}
