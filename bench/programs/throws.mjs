// An error thrown through fifteen frames and caught: the first ones of a process, and warm ones.
import measure from "./measure.cjs";

function descend(depth, order) {
  if (depth === 0) throw new RangeError("no such order");
  const found = descend(depth - 1, order);
  return found + 1;
}

function attempt() {
  try {
    return descend(14, { id: 7 });
  } catch (error) {
    return error.message.length;
  }
}

const firsts = [];
for (let index = 0; index < 5; index++) {
  const began = performance.now();
  attempt();
  firsts.push((performance.now() - began) * 1000);
}
const usFirst = firsts[0];
firsts.sort((a, b) => a - b);
const ns = measure.nanosecondsPerOperation(attempt, 1, { stretchMs: 25 });
measure.report({ usWarm: ns / 1000, usFirst, usFirstFive: firsts[2] });
