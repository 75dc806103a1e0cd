process.on("unhandledRejection", () => {});
const noop = (x) => x;
for (let i = 0; i < 300_000; i++) noop(i);
for (let i = 0; i < 400; i++) { Promise.reject(new Error("bad")); await new Promise(setImmediate); }
console.log("done");
