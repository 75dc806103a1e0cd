// One request: build an order of twenty lines, validate it, summarise it, write the answer.
import measure from "./measure.cjs";
import { buildOrder, handleOrder } from "./handle-order.mjs";

let seed = 0;
let bytes = 0;
function request() {
  seed = (seed + 1) % 1000;
  bytes += JSON.stringify(handleOrder(buildOrder(seed, 20))).length;
}

measure.report({ nsPerRequest: measure.nanosecondsPerOperation(request, 1, { stretchMs: 25 }) });
if (bytes === 0) throw new Error("no request was handled");
