// Stretches of a program that are recorded: with a function, with a watch list, one inside another.
import { record, startRecording, watch } from "../../../packages/orangebox/dist/index.js";

const folder = process.env.SCOPES;
const path = (name) => `${folder}/${name}.flight`;

function outside() {
  let unseen = 1;
  unseen += 1;
  return unseen;
}

outside();
const value = record(
  () => {
    let seen = 1;
    seen *= 5;
    return seen;
  },
  { path: path("function") },
);

const cache = new Map();
const other = { count: 0 };
const inner = { deep: { list: [] } };
const scope = startRecording({ path: path("watched"), watch: [inner] });
scope.watch(cache, "cache");
const total = await fill();
watch(other);
other.count = 3;
const stopped = scope.stop();
cache.set("after", 1);

async function fill() {
  let sum = 0;
  for (const key of ["a", "b"]) {
    await null;
    cache.set(key, { key });
    cache.get(key).late = true;
    other.count += 1;
    inner.deep.list.push(key);
    sum += 1;
  }
  return sum;
}

let failed = "";
try {
  await record(
    async () => {
      let step = "before";
      await null;
      step = "failing";
      throw new Error(step);
    },
    { path: path("failed") },
  );
} catch (error) {
  failed = error.message;
}

console.log(value, total, stopped === path("watched"), failed, watch(other) === other);
