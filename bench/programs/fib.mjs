// The same as fib.cjs, as an ES module, where probes reach their arrays in another way.
import measure from "./measure.cjs";

function fib(n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

measure.report({ nsPerCall: measure.nanosecondsPerOperation(() => fib(18), 8361) });
