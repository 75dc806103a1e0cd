/* oxlint-disable unicorn/consistent-function-scoping -- Each kind of function stands where it is looked at. */
/**
 * Makes large values in many kinds of functions, drops them, and prints which can be collected:
 * while the function still runs, and when it has returned.
 */
"use strict";
const { setImmediate: turn } = require("node:timers/promises");

const refs = new Map();
function make(name) {
  const big = { bytes: new Uint8Array(1 << 20), name };
  refs.set(name, new WeakRef(big));
  return big;
}
const use = (value) => value.bytes.length;
// A WeakRef keeps its target until the job ends, so what is asked synchronously is asked of a registry.
async function alive(when) {
  for (let round = 0; round < 3; round++) {
    await turn();
    globalThis.gc();
  }
  const names = [...refs].filter(([, ref]) => ref.deref() !== undefined).map(([name]) => name);
  console.log(when, names.join(" "));
}

async function block() {
  {
    let big = make("block");
    use(big);
  }
  await alive("behind a block");
  return 1;
}
async function sequence() {
  {
    const big = make("first");
    use(big);
  }
  {
    const other = { small: 1 };
    if (other.small) await alive("behind a second block");
  }
  await alive("behind both");
}
async function loop() {
  for (let index = 0; index < 3; index++) {
    const big = make(`loop${index}`);
    await use(big);
  }
  await alive("behind a loop");
}
async function ofLoop() {
  for (const name of ["of1", "of2"]) {
    const big = make(name);
    use(big);
    await turn();
  }
  await alive("behind for of");
}
async function dropped() {
  let big = make("dropped");
  use(big);
  big = undefined;
  await alive("behind an assignment");
  return big;
}
async function caught() {
  try {
    const big = make("tried");
    use(big);
    throw new Error("caught");
  } catch (error) {
    use({ bytes: error.message });
  }
  await alive("behind a catch");
}
async function deep() {
  const fails = () => {
    const big = make("unwound");
    throw Object.assign(new Error("deep"), { size: use(big) });
  };
  let size = 0;
  try {
    fails();
  } catch (error) {
    size = error.size;
  }
  await alive("behind an unwound frame");
  return size;
}
function* generate() {
  {
    const big = make("generated");
    yield use(big);
  }
  yield 2;
  return 3;
}
async function generator() {
  const steps = generate();
  steps.next();
  steps.next();
  await alive("in a generator behind its block");
  return steps.next();
}
async function closure() {
  const big = make("enclosed");
  const size = use(big);
  return () => size;
}
async function destructured() {
  {
    const { bytes, name } = make("destructured");
    use({ bytes: [bytes, name] });
  }
  await alive("behind destructuring");
}
async function awaited() {
  const size = use(await Promise.resolve(make("awaited")));
  await alive("behind an awaited value");
  return size;
}
async function switched(value) {
  switch (value) {
    case 1: {
      const big = make("switched");
      use(big);
    }
  }
  await alive("behind a switch");
}
class Holder {
  #big = make("private");
  size() {
    return use(this.#big);
  }
}
async function holder() {
  const size = new Holder().size();
  await alive("behind an instance");
  return size;
}

async function main() {
  for (const run of [block, sequence, loop, ofLoop, dropped, caught, deep, generator]) {
    await run();
    await alive(`${run.name} has returned`);
  }
  const kept = await closure();
  await alive("a closure is kept");
  for (const run of [destructured, awaited, switched, holder]) {
    await run(1);
    await alive(`${run.name} has returned`);
  }
  console.log(kept());
}
void main();
