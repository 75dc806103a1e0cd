import { createServer } from "node:http";
import Router from "@koa/router";
import Koa from "koa";
import bodyParser from "koa-bodyparser";
import { BIG, failAsync, failSync, item, serve, slowSum, stream } from "./shared.mjs";

const app = new Koa({ keys: ["secret"] });
app.on("error", (error) => {
  if (error.status !== 409) console.error(`unexpected: ${error.message}`);
});
app.use(async (context, next) => {
  try {
    await next();
  } catch (error) {
    if (error.status === undefined) throw error;
    context.status = error.status;
    context.body = { error: error.message, stack: error.stack };
    context.app.emit("error", error, context);
  }
});
app.use(bodyParser({ jsonLimit: "200kb" }));

const router = new Router();
router.param("id", (id, context, next) => {
  context.itemId = Number(id);
  return Number.isNaN(context.itemId) ? context.throw(400, `no number: ${id}`) : next();
});
router.get("/json/:id", (context) => {
  context.body = item(context.itemId, { ...context.query });
});
router.post("/echo", (context) => {
  context.status = 201;
  context.body = { body: context.request.body, type: context.get("content-type") };
});
router.get("/sync/:id", (context) => failSync(context.itemId));
router.get("/async/:id", async (context) => failAsync(context.itemId));
router.get("/stream/:id", (context) => {
  context.type = "application/x-ndjson";
  context.body = stream(context.itemId % 40);
});
router.get("/slow/:id", async (context) => {
  context.body = await slowSum(context.itemId);
});
router.get("/big/:id", (context) => {
  context.body = BIG;
});
router.get("/cookie/:id", (context) => {
  context.cookies.set("seen", String(context.itemId), { signed: true });
  context.body = { seen: context.cookies.get("seen") ?? null };
});
router.get("/redirect/:id", (context) => context.redirect(`/json/${context.itemId}`));
app.use(router.routes()).use(router.allowedMethods());

serve(createServer(app.callback()));
