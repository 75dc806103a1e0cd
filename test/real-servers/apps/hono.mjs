import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { deleteCookie, getCookie, setSignedCookie } from "hono/cookie";
import { etag } from "hono/etag";
import { HTTPException } from "hono/http-exception";
import { stream, streamSSE, streamText } from "hono/streaming";
import { validator } from "hono/validator";
import { BIG, chunks, failAsync, failSync, item, serve, slowSum } from "./shared.mjs";

const app = new Hono();
app.use("/big/*", etag());
app.use(async (context, next) => {
  await next();
  context.header("X-Route", context.req.path);
});
app.onError((error, context) => {
  if (error instanceof HTTPException) return error.getResponse();
  return context.json({ error: error.message, stack: error.stack }, error.status ?? 500);
});
app.notFound((context) => context.json({ missing: context.req.path }, 404));

app.get("/json/:id{[0-9]+}", (context) =>
  context.json(item(Number(context.req.param("id")), context.req.query())),
);
app.post(
  "/echo",
  validator("json", (value, context) => (value?.id < 0 ? context.text("negative", 422) : value)),
  (context) =>
    context.json(
      { body: context.req.valid("json"), type: context.req.header("content-type") },
      201,
    ),
);
app.get("/sync/:id", (context) => failSync(Number(context.req.param("id"))));
app.get("/async/:id", async (context) => failAsync(Number(context.req.param("id"))));
app.get("/stream/:id", (context) =>
  stream(context, async (out) => {
    for await (const text of chunks(Number(context.req.param("id")) % 40)) await out.write(text);
  }),
);
app.get("/sse/:id", (context) =>
  streamSSE(context, async (out) => {
    for await (const data of chunks(5))
      await out.writeSSE({ data, event: "chunk", id: context.req.param("id") });
  }),
);
app.get("/text/:id", (context) =>
  streamText(context, async (out) => {
    await out.writeln("one");
    await out.sleep(1);
    await out.write("two");
  }),
);
app.get("/slow/:id", async (context) =>
  context.json(await slowSum(Number(context.req.param("id")))),
);
app.get("/big/:id", (context) => context.body(BIG));
app.get("/cookie/:id", async (context) => {
  await setSignedCookie(context, "seen", context.req.param("id"), "secret");
  deleteCookie(context, "old");
  return context.json({ cookies: getCookie(context) });
});
app.get("/redirect/:id", (context) => context.redirect(`/json/${context.req.param("id")}`, 303));
app.get("/refused/:id", () => {
  throw new HTTPException(401, { message: "no" });
});

serve(createAdaptorServer({ fetch: app.fetch }));
