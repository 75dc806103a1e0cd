// A million calls that allocate and drop, and what is left of them: bytes after a full collection.
// Started with --expose-gc.
import measure from "./measure.cjs";

const CALLS = 1_000_000;

function shape(index) {
  const points = [{ x: index, y: -index }];
  const label = `shape ${index}`;
  if (index % 1000 === 0) throw new RangeError(label);
  return () => points.length + label.length;
}

function use(index) {
  try {
    return shape(index)();
  } catch (error) {
    return error.message.length;
  }
}

async function useLater(index) {
  await undefined;
  return use(index);
}

async function work(calls) {
  let sum = 0;
  for (let index = 0; index < calls; index++) {
    sum += use(index);
    if (index % 100 === 0) sum += await useLater(index);
  }
  return sum;
}

function heapKb() {
  for (let round = 0; round < 4; round++) globalThis.gc();
  return process.memoryUsage().heapUsed / 1000;
}

await work(50_000);
const before = heapKb();
await work(CALLS);
measure.report({
  grownKb: Math.max(0, heapKb() - before),
  peakRssKb: process.resourceUsage().maxRSS,
});
