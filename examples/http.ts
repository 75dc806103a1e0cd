/**
 * A small web service without a framework. One kind of order has no lines, and the sum of its
 * prices, two calls down, is asked for the currency of the first one.
 *
 *   flight run examples/http.ts
 *
 * It sends itself three requests on loopback; the third one crashes the server.
 */
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Line {
  readonly price: number;
  readonly currency: string;
}

interface Order {
  readonly id: number;
  readonly lines: readonly Line[];
}

const ORDERS: ReadonlyMap<number, Order> = new Map([
  [1, { id: 1, lines: [{ price: 12, currency: "EUR" }] }],
  [2, { id: 2, lines: [{ price: 3, currency: "EUR" }] }],
  [3, { id: 3, lines: [] }],
]);

function total(lines: readonly Line[]): string {
  let sum = 0;
  for (const line of lines) sum += line.price;
  const [first] = lines;
  if (first === undefined) throw new RangeError("an order without lines has no currency");
  return `${sum} ${first.currency}`;
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const id = Number(request.url?.slice("/orders/".length));
  const order = ORDERS.get(id);
  if (order === undefined) {
    response.writeHead(404).end("no such order\n");
    return;
  }
  response.end(`order ${order.id}: ${total(order.lines)}\n`);
}

const server = createServer(answer);
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  let nextId = 1;
  function ask(): void {
    get({ port, host: "127.0.0.1", path: `/orders/${nextId++}` }, (response) => {
      response.setEncoding("utf8");
      response.on("data", (text: string) => process.stdout.write(text));
      response.on("end", ask);
    }).on("error", () => undefined);
  }
  ask();
});
