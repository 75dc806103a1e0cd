// Many equal rejections: the first few get a box.
process.on("unhandledRejection", () => {});
async function fail(i) { await null; throw new Error("again"); }
for (let i = 0; i < 50; i++) fail(i);
setTimeout(() => console.log("done"), 50);
