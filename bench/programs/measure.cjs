// Runs a unit of work again and again for a while and reports nanoseconds per operation: the median
// of many short stretches, so that a stretch in which the machine did something else does not count.
// Writes one line that bench/run-program.ts reads.
"use strict";

function nanosecondsPerOperation(
  unit,
  operations,
  { warmupMs = 400, measureMs = 900, stretchMs = 12 } = {},
) {
  let end = performance.now() + warmupMs;
  while (performance.now() < end) unit();
  const stretches = [];
  end = performance.now() + measureMs;
  do {
    const began = performance.now();
    let count = 0;
    let now;
    do {
      unit();
      count++;
      now = performance.now();
    } while (now - began < stretchMs);
    stretches.push(((now - began) * 1e6) / (count * operations));
  } while (performance.now() < end);
  stretches.sort((a, b) => a - b);
  return stretches[stretches.length >> 1];
}

function report(metrics) {
  process.stdout.write(`BENCH ${JSON.stringify(metrics)}\n`);
}

module.exports = { nanosecondsPerOperation, report };
