import { createServer } from "node:http";
import compression from "compression";
import cookieParser from "cookie-parser";
import express from "express";
import { BIG, failAsync, failSync, item, serve, slowSum, stream } from "./shared.mjs";

const app = express();
app.use(cookieParser("secret"));
app.use(compression({ threshold: 2048 }));
app.use(express.json({ limit: "200kb" }));
app.use(express.urlencoded({ extended: true }));

const router = express.Router({ mergeParams: true });
router.param("id", (request, response, next, id) => {
  request.itemId = Number(id);
  next(Number.isNaN(request.itemId) ? new URIError(`no number: ${id}`) : undefined);
});
router.get("/json/:id", (request, response) => response.json(item(request.itemId, request.query)));
router.post("/echo", (request, response) => {
  response
    .status(201)
    .location("/json/1")
    .json({ body: request.body, type: request.get("content-type") });
});
router.get("/sync/:id", (request) => failSync(request.itemId));
router.get("/async/:id", async (request) => failAsync(request.itemId));
router.get("/stream/:id", (request, response) => {
  response.type("application/x-ndjson");
  stream(request.itemId % 40).pipe(response);
});
router.get("/slow/:id", async (request, response) => response.send(await slowSum(request.itemId)));
router.get("/big/:id", (request, response) => response.send(BIG));
router.get("/cookie/:id", (request, response) => {
  response.cookie("seen", String(request.itemId), { signed: true, httpOnly: true });
  response.clearCookie("old").json({ cookies: request.cookies, signed: request.signedCookies });
});
router.get("/redirect/:id", (request, response) =>
  response.redirect(303, `/json/${request.itemId}`),
);
router.get("/file/:id", (request, response) => response.sendFile(import.meta.filename));
app.use(router);
app.use((error, request, response, next) => {
  if (error.status !== 409) return next(error);
  response.status(409).set("X-Item", error.id).send({ error: error.message, stack: error.stack });
});

serve(createServer(app));
