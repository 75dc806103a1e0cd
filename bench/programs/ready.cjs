// An empty program: says how long it took to get here.
process.stdout.write(`BENCH {"readyMs":${performance.now()}}\n`);
