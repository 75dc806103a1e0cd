const { iterator } = Symbol;
Array.prototype[iterator] = function () { throw new Error("no iterators here"); };
function f() { try { null.x; } catch (e) { return e.stack.split("\n")[1].trim().slice(0, 4); } }
process.on("exit", (c) => { process.stdout.write(`${f()} ${c}\n`); });
setTimeout(() => { process.emit("custom", 1); }, 1);
