// 300,000 awaits through two levels of async functions.
import measure from "./measure.cjs";

async function inner(value) {
  await undefined;
  return value + 1;
}

async function outer(count) {
  let sum = 0;
  for (let index = 0; index < count; index++) sum += await inner(index);
  return sum;
}

await outer(20_000);
const samples = [];
for (let round = 0; round < 9; round++) {
  const began = performance.now();
  await outer(150_000);
  samples.push(performance.now() - began);
}
samples.sort((a, b) => a - b);
measure.report({ msFor300k: samples[4] });
