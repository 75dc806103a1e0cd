#!/usr/bin/env node
// Plain JavaScript of any age, so that an old Node gets this message and not a syntax error.
var version = process.versions.node.split(".").map(Number);
var isTooOld = version[0] < 22 || (version[0] === 22 && version[1] < 15);

if (isTooOld) {
  console.error(
    "error: flight needs Node 22.15 or newer; this is " +
      process.version +
      " at " +
      process.execPath,
  );
  console.error(
    "hint: Put a newer Node first on the PATH, or run: /path/to/node " + process.argv[1],
  );
  console.error("code: FLIGHT_BAD_NODE");
  process.exitCode = 2;
} else {
  // The second start takes half the time; where the cache cannot be, nothing happens.
  process.getBuiltinModule("node:module").enableCompileCache();
  try {
    await import("@orangebox/cli/main");
  } catch (error) {
    if (error.code !== "ERR_ACCESS_DENIED") throw error;
    console.error("error: " + error.message);
    console.error(
      "hint: The permission model in NODE_OPTIONS holds for flight too; give its options to the" +
        " program alone: flight run -- --permission … app.js",
    );
    process.exitCode = 2;
  }
}
