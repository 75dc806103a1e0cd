const { test } = require("node:test");
const assert = require("node:assert");
const { total } = require("./src/price.js");
test("adds", () => { assert.equal(total({ lines: [{ price: { amount: 2 } }] }), 3); });
test("fails", () => { total({ lines: [{}] }); });
