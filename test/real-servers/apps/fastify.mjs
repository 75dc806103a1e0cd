import cookie from "@fastify/cookie";
import fastify from "fastify";
import { BIG, endWithStdin, failAsync, failSync, item, slowSum, stream } from "./shared.mjs";

const app = fastify({ logger: false, bodyLimit: 200_000 });
await app.register(cookie, { secret: "secret-of-the-campaign-1234567890" });

app.decorateRequest("started", 0);
app.addHook("onRequest", async (request) => {
  request.started = 1;
});
app.addHook("preSerialization", async (request, reply, payload) => ({
  ...payload,
  hooked: request.started,
}));
app.setErrorHandler((error, request, reply) => {
  reply
    .code(error.statusCode ?? 500)
    .send({ error: error.message, code: error.code, stack: error.stack });
});

const params = {
  type: "object",
  properties: { id: { type: "integer", maximum: 900 } },
  required: ["id"],
};
app.get("/json/:id", { schema: { params } }, async (request) =>
  item(request.params.id, request.query),
);
app.post(
  "/echo",
  {
    schema: {
      body: { type: ["object", "array", "null"], properties: { id: { type: "integer" } } },
      response: {
        201: {
          type: "object",
          properties: { body: {}, type: { type: "string" }, hooked: { type: "integer" } },
        },
      },
    },
  },
  async (request, reply) => {
    reply.code(201);
    return { body: request.body, type: request.headers["content-type"] };
  },
);
app.register(async (scope) => {
  scope.get("/sync/:id", (request) => failSync(Number(request.params.id)));
  scope.get("/async/:id", async (request) => failAsync(Number(request.params.id)));
});
app.get("/stream/:id", (request, reply) => {
  reply.type("application/x-ndjson");
  return reply.send(stream(Number(request.params.id) % 40));
});
app.get("/slow/:id", async (request) => slowSum(Number(request.params.id)));
app.get("/big/:id", (request, reply) => reply.send(BIG));
app.get("/cookie/:id", async (request, reply) => {
  reply.setCookie("seen", request.params.id, { signed: true, httpOnly: true, path: "/" });
  return { cookies: request.cookies };
});
app.get("/redirect/:id", (request, reply) => reply.redirect(`/json/${request.params.id}`, 303));

await app.listen({ port: 0, host: "127.0.0.1" });
console.log(`READY ${app.server.address().port}`);
endWithStdin({
  closeAllConnections: () => app.server.closeAllConnections(),
  close: (done) => app.close(done),
});
