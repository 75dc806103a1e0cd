// Does nothing but call: the worst case for a recorder of calls.
"use strict";
const { nanosecondsPerOperation, report } = require("./measure.cjs");

function fib(n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

report({ nsPerCall: nanosecondsPerOperation(() => fib(18), 8361) });
