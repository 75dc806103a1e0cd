const assert = require("node:assert");
describe("a stack", () => { let items; beforeEach(() => { items = [1, 2, 3]; });
  it("pops", () => assert.equal(items.pop(), 3)); it("waits", async () => { await new Promise((r) => setTimeout(r, 5)); assert.ok(items); }); it("takes a callback", (done) => setImmediate(done)); it.skip("is left out"); });
