// A web server that answers orders. Prints its port; on a line on stdin, its own CPU time so far.
import { createServer } from "node:http";
import { buildOrder, handleOrder } from "./handle-order.mjs";

async function readBody(request) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

async function findOrder(id) {
  await Promise.resolve();
  return buildOrder(id, 20);
}

async function answer(request, response) {
  const { id } = JSON.parse(await readBody(request));
  const order = await findOrder(id);
  const body = JSON.stringify(handleOrder(order));
  response.writeHead(200, { "content-type": "application/json" });
  response.end(body);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
});
server.listen(0, "127.0.0.1", () => console.log(`PORT ${server.address().port}`));
process.stdin.on("data", () => {
  const { user, system } = process.cpuUsage();
  console.log(`CPU ${user + system}`);
});
process.stdin.on("end", () => process.exit(0));
