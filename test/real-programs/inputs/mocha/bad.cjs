const assert = require("node:assert");
function total(lines) { return lines.reduce((sum, line) => sum + line.price.amount, 0); }
describe("an order", () => {
  it("adds up", () => assert.equal(total([{ price: { amount: 1 } }]), 2));
  it("has prices", () => total([{}]));
  it("rejects", async () => { await null; throw Object.assign(new RangeError("out of stock"), { code: 7 }); });
  it("compares", () => assert.deepStrictEqual({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }));
  it("throws late", (done) => { setTimeout(() => { throw new Error("from a timer"); }, 2); });
  it("gives up", function (done) { this.timeout(20); });
});
