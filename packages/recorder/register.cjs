/**
 * `node --require orangebox/register app.ts`: the way in that leaves the entry with the CommonJS
 * loader, so that its stack traces are those of a run without the recorder.
 */
"use strict";

try {
  // One file with everything that start-up needs; scripts/bundle-commonjs.ts makes it.
  require("./dist/register.cjs");
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
