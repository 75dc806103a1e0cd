async function c(step) { await null; throw new Error("c " + step); }
async function b() {
  try {
    await c(1);
  } finally {
    await null;
  }
}
async function loop(items) {
  for await (const item of items) {
    const inside = item * 2;
    if (item === 2) await b();
  }
}
await loop([1, 2]);
