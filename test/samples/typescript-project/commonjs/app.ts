// The same with require.
const { format } = require("@/lib/format") as typeof import("../src/lib/format.ts");
const { part } = require("./part");
import helper = require("./helper");
console.log(format("x"), part(1), helper.help());
