/** Starts recording when it is loaded: `node --require orangebox/register app.ts`. */
"use strict";

require("@orangebox/recorder/register");
