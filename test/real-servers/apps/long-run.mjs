// Answers very many requests inside one process, and says how much memory is in use after each tenth of them.
import inject from "light-my-request";
import { failSync, item } from "./shared.mjs";

const [kind, count = "0"] = process.argv.slice(2);
Error.stackTraceLimit = 10;

const makers = {
  async hono() {
    const { Hono } = await import("hono");
    const app = new Hono();
    app.use(async (context, next) => {
      await next();
      context.header("X-Route", context.req.path);
    });
    app.onError((error, context) => context.json({ error: error.message }, 500));
    app.get("/json/:id", (context) => context.json(item(Number(context.req.param("id")), context.req.query())));
    app.get("/sync/:id", (context) => failSync(Number(context.req.param("id"))));
    return async (url) => (await app.request(url)).text();
  },
  async express() {
    const { default: express } = await import("express");
    const app = express();
    app.get("/json/:id", async (request, response) => response.json(item(Number(request.params.id), request.query)));
    app.get("/sync/:id", (request) => failSync(Number(request.params.id)));
    app.use((error, request, response, next) => response.status(500).json({ error: error.message }));
    return async (url) => (await inject(app, { url })).payload;
  },
  async fastify() {
    const { default: fastify } = await import("fastify");
    const app = fastify();
    app.get("/json/:id", async (request) => item(Number(request.params.id), request.query));
    app.get("/sync/:id", async (request) => failSync(Number(request.params.id)));
    return async (url) => (await app.inject({ url })).payload;
  },
};

const ask = await makers[kind]();
const total = Number(count);
let bytes = 0;
let asked = 0;
for (let tenth = 1; tenth <= 10; tenth++) {
  for (; asked < (total * tenth) / 10; asked += 20) {
    // 19 ordinary answers and an error, at the same time.
    const batch = Array.from({ length: 20 }, (_, i) => ask(i === 19 ? `/sync/${asked}` : `/json/${(asked + i) % 1000}?a=1`));
    for (const text of await Promise.all(batch)) bytes += text.length;
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
  console.log(`MEMORY ${JSON.stringify({ asked, heapUsed, external, arrayBuffers, rss })}`);
}
console.log(`BYTES ${bytes}`);
