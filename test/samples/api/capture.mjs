// A program that asks for boxes itself and goes on.
import { adapter, capture, captureSync, configure, dump, isInstalled, stats, uninstall } from "orangebox";

class Money { constructor(cents) { this.cents = cents; } get euros() { throw new Error("getter ran"); } }
class Price extends Money {}
adapter(Money, (m) => ({ summary: `${m.cents / 100} EUR`, fields: { cents: m.cents } }));
class Bad {}
adapter(Bad, () => { throw new Error("adapter failed"); });

function charge(order) {
  const price = new Price(order.cents);
  const bad = new Bad();
  if (price.cents > 100) throw new RangeError("too dear");
  return [price, bad];
}
const seen = [];
try {
  charge({ cents: 250, token: "sk-abcdefghijklmnopqrstuvwxyz012345" });
} catch (error) {
  seen.push(await capture(error, { reason: "test" }));
}
function here(step) { const note = { step }; return [captureSync(), note]; }
seen.push(here(3)[0]);
seen.push(dump());
configure({ maxString: 5 });
try { configure({ maxStrnig: 5 }); } catch (error) { console.log(error.code, error.hint); }
const { totalEvents, modules, boxes } = stats();
console.log(isInstalled(), totalEvents > 3, modules >= 1, boxes);
uninstall();
console.log(isInstalled(), await capture(new Error("x")), String(charge).split("\n")[0]);
for (const path of seen) console.log(path);
