/**
 * The requests of the campaign: a fixed, mixed list, sent many at a time, and what came back.
 *
 * Ordinary work, errors of the application, refused input, streams, large bodies. The same list goes
 * to every server; what a server does not know, it says so, and that answer is compared as well.
 */
import { createHash } from "node:crypto";
import { Agent, request } from "node:http";

const CONCURRENT = 64;
const TIMEOUT_MS = 30_000;

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What one request got. */
export interface Answer {
  readonly status: number;
  /** Names and values in the order in which they came, without the value of `date`. */
  readonly headers: readonly string[];
  readonly bodyHash: string;
  readonly bodyBytes: number;
  /** The first part, to show a difference. */
  readonly bodyStart: string;
  /** The socket broke instead of an answer. */
  readonly failure?: string;
}

const JSON_TYPE = { "content-type": "application/json" };

const KINDS: readonly ((id: number) => Request)[] = [
  (id) => get(`/json/${id}?a=${id}&b[]=1&b[]=2&c=%20x`),
  (id) => get(`/json/${id % 1000}`),
  (id) => post("/echo", JSON.stringify({ id, list: [id, "é😀", null] }), JSON_TYPE),
  (id) => post("/echo", `{"id": ${id}, `, JSON_TYPE),
  (id) => post("/echo", `a=${id}&b[c]=2`, { "content-type": "application/x-www-form-urlencoded" }),
  () => post("/echo", `"text"`, { "content-type": "text/strange" }),
  (id) =>
    post("/echo", JSON.stringify({ id: "x".repeat(id % 7 === 0 ? 250_000 : 90_000) }), JSON_TYPE),
  (id) => get(`/sync/${id}`),
  (id) => get(`/async/${id}`),
  (id) => get(`/stream/${id}`),
  (id) => get(`/slow/${id}`),
  (id) => get(`/big/${id}`, id % 2 === 0 ? { "accept-encoding": "gzip" } : {}),
  (id) => get(`/cookie/${id}`, { cookie: `old=1; seen=${id}` }),
  (id) => get(`/redirect/${id}`),
  (id) => get(`/missing/${id}`),
  (id) => get(`/json/not-a-number-${id}`),
  () => get(`/json/%E0%A4%A`),
  (id) => get(["/file/1", "/sse/3", "/text/4", "/refused/5"][id % 4] ?? "/"),
  (id) => ({ method: "HEAD", path: `/json/${id}`, headers: {} }),
  (id) => ({ method: "OPTIONS", path: `/json/${id}`, headers: {} }),
  (id) => ({ method: "DELETE", path: `/json/${id}`, headers: {} }),
];

function get(path: string, headers: Readonly<Record<string, string>> = {}): Request {
  return { method: "GET", path, headers };
}

function post(path: string, body: string, headers: Readonly<Record<string, string>>): Request {
  return { method: "POST", path, body, headers };
}

/** Sends `count` requests, `CONCURRENT` at a time, and gives the answers in the order of the list. */
export async function sendAll(port: number, count: number): Promise<Answer[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENT });
  const answers: Answer[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      const kind = KINDS[index % KINDS.length];
      if (kind !== undefined) answers[index] = await send(port, agent, kind(index));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
  agent.destroy();
  return answers;
}

function send(
  port: number,
  agent: Agent,
  { method, path, headers, body }: Request,
): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: Error): void => resolve({ ...NOTHING, failure: error.message });
    const outgoing = request({
      port,
      host: "127.0.0.1",
      agent,
      method,
      path,
      headers,
      timeout: TIMEOUT_MS,
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("no answer in time")));
    outgoing.on("error", fail);
    outgoing.on("response", (incoming) => {
      const parts: Buffer[] = [];
      incoming.on("error", fail);
      incoming.on("data", (part: Buffer) => parts.push(part));
      incoming.on("end", () => {
        const bytes = Buffer.concat(parts);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: withoutDate(incoming.rawHeaders),
          bodyHash: createHash("sha256").update(bytes).digest("hex"),
          bodyBytes: bytes.length,
          bodyStart: bytes.subarray(0, 2000).toString("latin1"),
        });
      });
    });
    outgoing.end(body);
  });
}

const NOTHING: Answer = { status: 0, headers: [], bodyHash: "", bodyBytes: 0, bodyStart: "" };

function withoutDate(rawHeaders: readonly string[]): string[] {
  return rawHeaders.map((text, index) =>
    index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "date" ? "<date>" : text,
  );
}
