/** Starts recording when it is loaded: `node --require orangebox/register app.ts`. */
"use strict";

require("@orangebox/recorder/register");

// The program sees only its own modules in require.cache.
delete require.cache[__filename];
const { _pathCache: paths = {} } = require("node:module");
for (const key of Object.keys(paths)) {
  if (paths[key] === __filename || key.startsWith("@orangebox/recorder/register\0"))
    delete paths[key];
}
