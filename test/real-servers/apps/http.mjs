import { createServer } from "node:http";
import { pipeline } from "node:stream/promises";
import { BIG, failAsync, failSync, item, serve, slowSum, stream } from "./shared.mjs";

async function readBody(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

const routes = {
  json: (request, response, id, query) => send(response, 200, item(id, query)),
  echo: async (request, response) => {
    const body = JSON.parse((await readBody(request)) || "null");
    send(response, 201, { body, type: request.headers["content-type"] });
  },
  sync: (request, response, id) => failSync(id),
  async: (request, response, id) => failAsync(id),
  stream: async (request, response, id) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    await pipeline(stream(id % 40), response);
  },
  slow: async (request, response, id) => send(response, 200, await slowSum(id)),
  big: (request, response) => response.end(BIG),
};

function send(response, status, value) {
  response.statusCode = status;
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(value));
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  const [, name, id] = url.pathname.split("/");
  try {
    const route = routes[name];
    if (!route) return send(response, 404, { missing: name });
    await route(request, response, Number(id), Object.fromEntries(url.searchParams));
  } catch (error) {
    send(response, error.status ?? 500, { message: error.message, stack: error.stack });
  }
});

serve(server);
