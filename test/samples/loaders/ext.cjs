const fs = require("fs"); const old = require.extensions[".cjs"];
require.extensions[".foo"] = (m, f) => m._compile("// generated\n" + fs.readFileSync(f, "utf8"), f);
require("./thing.foo");
