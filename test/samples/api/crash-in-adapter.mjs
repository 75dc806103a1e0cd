import { adapter } from "orangebox";
class Evil {}
adapter(Evil, () => { process.nextTick(() => {}); throw new Error("adapter failed"); });
class Hostile { get [Symbol.for("orangebox.describe")]() { throw new Error("describe failed"); } }
function go() { const evil = new Evil(); const hostile = new Hostile(); throw new Error("real"); }
go();
