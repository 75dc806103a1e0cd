/**
 * Stores counted events and then ends in the way it is told; run by ring-survival.test.ts.
 *
 * Arguments: state folder, capacity, how many events, how to end. Prints the mapping as one line.
 */
import { writeSync } from "node:fs";
import { closeRing, openRing, type Ring, appendSites } from "../../../src/ring/open-ring.ts";

const [stateDir = "", capacity = "", count = "", ending = ""] = process.argv.slice(2);
const ring = openRing({
  capacity: Number(capacity),
  stateDir,
  threadId: 0,
  pid: process.pid,
  about: { argv: ["counted"] },
});
appendSites(ring, [
  { base: 0, count: 10, filename: "/counted.js", sites: { lines: [1, 2, 3] } },
  { base: 10, count: 5, filename: "/cached.js", cacheFile: "/cache/a.json", hash: "abc" },
]);
store(ring, 1, Number(count));
writeSync(1, `${JSON.stringify(ring.mapping)}\n`);
end();

function store({ events, head, mask }: Ring, from: number, howMany: number): void {
  for (let word = from; word < from + howMany; word++) {
    const next = head[0] ?? 0;
    head[0] = next + 1;
    events[next & mask] = word;
  }
}

function end(): void {
  switch (ending) {
    case "SIGKILL":
    case "SIGSEGV":
      process.kill(process.pid, ending);
      break;
    case "abort":
      process.abort();
      break;
    case "out of memory": {
      const kept: unknown[] = [];
      for (;;) kept.push(Array.from({ length: 1000 }, () => ({})));
    }
    case "exit in a callback":
      setTimeout(() => process.exit(3), 1);
      break;
    case "never": {
      // Words go on counting until somebody kills this process.
      for (let word = 1; ; word += 1000) store(ring, word, 1000);
    }
    case "keep":
      closeRing(ring, { keep: true });
      break;
    default:
      closeRing(ring, { keep: false });
  }
}
