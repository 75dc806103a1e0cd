/**
 * Runs what a recovery runs on a made ring in memory, so that the engine has compiled it when a real one
 * is waited for.
 */
import { RecordingWriter } from "@orangebox/format";
import { nodeCodec, nodeDigest } from "../box/node-codec.ts";
import { decodeEvents } from "../ring/decode-events.ts";

/** Enough for the engine to optimise the loops; about 30 ms. */
const EVENT_COUNT = 50_000;
const EXIT = 1 << 28;

/** Touches no file. */
export function warmUp(): void {
  const code = { file: "", qualname: "", firstLine: 1 };
  const words = new Int32Array(EVENT_COUNT);
  for (let i = 0; i < EVENT_COUNT; i++) words[i] = (i & 1) === 0 ? 1 : 2 | EXIT;
  const events = decodeEvents(words, {
    thread: 0,
    wrapped: false,
    resolve: (id) => ({ kind: id === 1 ? "function" : "statement", line: id, column: 1, code }),
  });
  const writer = new RecordingWriter(
    { write: () => undefined, flush: () => undefined },
    { flightVersion: "", createdUnixMs: 0, codec: nodeCodec(), digest: nodeDigest() },
  );
  writer.events(events);
  writer.seal();
  writer.close();
}
