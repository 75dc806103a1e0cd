const assert = require("node:assert");
const { total } = require("./src/price.js");
describe("total", () => {
  it("adds", () => assert.equal(total({ lines: [{ price: { amount: 2 } }] }), 3));
  it("fails", () => assert.equal(total({ lines: [{ price: { amount: 2 } }] }), 4));
  if (process.env.CRASH) it("crashes", (done) => { setTimeout(() => { total({ lines: [{}] }); done(); }, 1); });
});
