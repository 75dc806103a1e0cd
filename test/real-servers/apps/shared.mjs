// What all servers of the campaign do in the same way: data, failures, streams, and an end.
import { Readable } from "node:stream";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";

// Frames of the event loop, which come and go by chance, must not push others out.
Error.stackTraceLimit = 50;

export class OutOfStock extends Error {
  constructor(id, options) {
    super(`item ${id} is out of stock`, options);
    this.name = "OutOfStock";
    this.status = 409;
    this.statusCode = 409;
    this.id = id;
  }
}

export function item(id, query = {}) {
  const tags = Array.from({ length: id % 7 }, (_, index) => `tag-${index}`);
  const { a = 1, ...rest } = query;
  return {
    id,
    name: `Item ${id}`,
    price: (id * 37) % 1000,
    tags,
    a,
    rest,
    nested: { deep: { id } },
  };
}

export function failSync(id) {
  if (id % 3 === 0) null.property;
  if (id % 3 === 1) throw new OutOfStock(id);
  throw new TypeError(`bad id ${id}`, { cause: new RangeError("too many") });
}

export async function failAsync(id) {
  await turn();
  await sleep(id % 3);
  try {
    failSync(id);
  } catch (error) {
    // Which of the event loop's own functions stand there depends on what else was due: plain runs differ in it.
    for (const one of [error, error.cause]) {
      if (one) one.stack = one.stack.replaceAll(/\n    at .*node:internal\/.*/g, "");
    }
    throw error;
  } finally {
    await turn();
  }
}

export async function* chunks(count) {
  for (let i = 0; i < count; i++) {
    if (i % 4 === 3) await sleep(1);
    else await turn();
    yield `${JSON.stringify({ chunk: i, text: "x".repeat((i * 53) % 400) })}\n`;
  }
}

export function stream(count) {
  return Readable.from(chunks(count));
}

export async function slowSum(id) {
  let sum = 0;
  for await (const text of chunks(id % 6)) sum += text.length;
  const parts = await Promise.all([sleep(1, id), turn(sum), Promise.resolve(id * 2)]);
  return { sum: parts.reduce((a, b) => a + b, 0) };
}

export const BIG = "0123456789abcdef".repeat(16 * 1024);

/** Tells the port, and ends the process when the campaign closes stdin. */
export function serve(server, onClose = async () => {}) {
  server.listen(0, "127.0.0.1", () => console.log(`READY ${server.address().port}`));
  endWithStdin(server, onClose);
}

export function endWithStdin(server, onClose = async () => {}) {
  process.stdin.resume().on("end", () => {
    server.closeAllConnections?.();
    server.close(() => {
      void onClose().then(() => console.log("CLOSED"));
    });
  });
}
