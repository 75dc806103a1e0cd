/* oxlint-disable unicorn/consistent-function-scoping -- Each kind of function stands where it is looked at. */
/**
 * Allocates 8 MiB again and again in one kind of function and prints the most and the last that
 * was alive, in MiB, measured behind a full collection.
 */
"use strict";
const { setImmediate: turn } = require("node:timers/promises");

const SIZE = 8 << 20;
const ROUNDS = 40;
let most = 0;
let last = 0;

function measure() {
  globalThis.gc();
  last = process.memoryUsage().arrayBuffers;
  most = Math.max(most, last);
}
const make = () => new Uint8Array(SIZE).fill(1);
const use = (bytes) => bytes[0] + bytes.length;

const KINDS = {
  loop() {
    let sum = 0;
    for (let index = 0; index < ROUNDS; index++) {
      const bytes = make();
      sum += use(bytes);
      measure();
    }
    return sum;
  },
  async awaits() {
    let sum = 0;
    for (let index = 0; index < ROUNDS; index++) {
      const bytes = make();
      await turn();
      sum += use(bytes);
      measure();
    }
    return sum;
  },
  generators() {
    function* parts() {
      for (let index = 0; index < ROUNDS; index++) {
        const bytes = make();
        yield use(bytes);
      }
    }
    let sum = 0;
    for (const part of parts()) {
      sum += part;
      measure();
    }
    return sum;
  },
  closures() {
    const kept = [];
    for (let index = 0; index < ROUNDS; index++) {
      const bytes = make();
      const size = use(bytes);
      kept.push(() => size + index);
      measure();
    }
    return kept.length;
  },
  /** Errors within one job. */
  storm() {
    const fails = () => {
      const bytes = make();
      throw new Error(String(use(bytes)));
    };
    for (let index = 0; index < ROUNDS; index++) {
      try {
        fails();
      } catch (error) {
        use([error]);
      }
      measure();
    }
    return 0;
  },
  async errors() {
    const fails = () => {
      const bytes = make();
      throw new Error(String(use(bytes)));
    };
    for (let index = 0; index < ROUNDS; index++) {
      try {
        fails();
      } catch (error) {
        use([error]);
      }
      await turn();
      measure();
    }
    return 0;
  },
};

void (async () => {
  await KINDS[process.argv[2]]();
  await turn();
  const peak = Math.round(most / (1 << 20));
  globalThis.gc();
  await turn();
  measure();
  console.log(JSON.stringify({ most: peak, last: Math.round(last / (1 << 20)) }));
})();
