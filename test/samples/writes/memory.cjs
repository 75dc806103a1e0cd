// Makes and drops large objects of every kind, in variables, properties and collections.
"use strict";
const v8 = require("node:v8");
v8.setFlagsFromString("--expose-gc");
const collect = require("node:vm").runInNewContext("gc");

const MIB = 1 << 20;
// What stays the whole time: the shares below are of it.
const kept = Buffer.alloc(256 * MIB, 1);
const holder = { current: undefined, list: [], map: new Map() };
let peak = 0;

function usedBytes() {
  collect();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + Math.max(external, arrayBuffers);
}

function turn(index) {
  let block = new Uint8Array(64 * MIB);
  block[0] = index;
  holder.current = block;
  holder.list.push(block);
  holder.map.set(index, { block });
  let text = "x".repeat(8 * MIB) + index;
  text = text.slice(5, 5 + 4 * MIB);
  const [head] = [text.slice(0, 60)];
  holder.head = head;
  const rows = Array.from({ length: 50_000 }, (_, at) => ({ at, text: `row ${at}` }));
  holder.rows = rows;
  peak = Math.max(peak, usedBytes());
  block = undefined;
  holder.list.pop();
  holder.map.delete(index);
  holder.current = undefined;
  holder.rows = undefined;
  delete holder.head;
}

for (let index = 0; index < 6; index++) turn(index);
const end = usedBytes();
process.stdout.write(JSON.stringify({ peak, end, kept: kept[1] }));
