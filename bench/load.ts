/**
 * A load generator for the server of the benchmark: sends requests at a fixed rate over kept
 * connections on loopback, from a process of its own, and prints the latencies as `LOAD {…}`.
 *
 * A request counts from the moment when it was due, so that a server that stalls cannot hide it.
 * Arguments: port, requests per second, seconds of warm-up, seconds of measurement.
 */
import { connect, type Socket } from "node:net";

const [port = 0, rate = 0, warmupSeconds = 0, measureSeconds = 0] = process.argv
  .slice(2)
  .map(Number);
const CONNECTIONS = 32;
const MAX_WAITING = 20_000;

const idle: Socket[] = [];
const waitingSinceMs: number[] = [];
const latenciesMs: number[] = [];
let sent = 0;
let measuring = false;
let failed = 0;

function open(): void {
  const socket = connect(port, "127.0.0.1", () => release(socket));
  let dueMs = 0;
  let received = "";
  socket.setNoDelay(true).setEncoding("latin1");
  socket.on("data", (text: string) => {
    received += text;
    const head = received.indexOf("\r\n\r\n");
    if (head < 0 || !isWhole(received, head)) return;
    if (!received.startsWith("HTTP/1.1 200")) failed++;
    if (measuring) latenciesMs.push(performance.now() - dueMs);
    received = "";
    release(socket);
  });
  socket.on("error", () => failed++);
  starts.set(socket, (since) => {
    dueMs = since;
    const body = `{"id":${sent++ % 1000}}`;
    socket.write(
      `POST /orders HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  });
}

function isWhole(received: string, head: number): boolean {
  const length = /content-length: (\d+)/i.exec(received)?.[1];
  if (length === undefined) return received.endsWith("0\r\n\r\n");
  return received.length >= head + 4 + Number(length);
}

const starts = new WeakMap<Socket, (dueMs: number) => void>();

function release(socket: Socket): void {
  const since = waitingSinceMs.shift();
  if (since === undefined) idle.push(socket);
  else starts.get(socket)?.(since);
}

function request(dueMs: number): void {
  const socket = idle.pop();
  if (socket !== undefined) starts.get(socket)?.(dueMs);
  else if (waitingSinceMs.length < MAX_WAITING) waitingSinceMs.push(dueMs);
  else failed++;
}

for (let index = 0; index < CONNECTIONS; index++) open();

const beganMs = performance.now() + 100;
let due = 0;
const timer = setInterval(() => {
  const nowMs = performance.now();
  const seconds = (nowMs - beganMs) / 1000;
  measuring = seconds >= warmupSeconds;
  if (seconds >= warmupSeconds + measureSeconds) finish();
  for (; due < seconds * rate; due++) request(beganMs + (due / rate) * 1000);
}, 1);

function finish(): void {
  clearInterval(timer);
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? 0;
  const result = { p50Ms: at(0.5), p99Ms: at(0.99), requests: sorted.length, failed };
  process.stdout.write(`LOAD ${JSON.stringify(result)}\n`, () => process.exit(0));
}
