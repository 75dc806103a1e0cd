const { total } = require("./src/price.js");
test("adds", () => { expect(total({ lines: [{ price: { amount: 2 } }] })).toBe(3); });
test("fails", () => { total({ lines: [{}] }); });
