/**
 * `node --require orangebox/register app.ts`: the way in that leaves the entry with the CommonJS
 * loader, so that its stack traces are those of a run without the recorder.
 */
"use strict";

const { emitWarning } = process;
try {
  // Node 22 warns about require() of an ES module; the program did not ask for it.
  process.emitWarning = () => undefined;
  require("./dist/register.js");
} catch (error) {
  try {
    require("node:fs").writeSync(2, `[flight] not recording: ${error && error.message}\n`);
  } catch {
    // There is no stderr: nobody to tell.
  }
} finally {
  process.emitWarning = emitWarning;
}
