import { Checkout } from "./checkout.ts";
import { Order } from "./model.ts";

const orders = [
  new Order(1, "ada").add({ sku: "apple", count: 2 }),
  new Order(2, "bob").add({ sku: "apple", count: 1 }).add({ sku: "pear", count: 3 }),
];

async function main(): Promise<void> {
  const checkout = new Checkout();
  for (const order of orders) {
    const reserved = await checkout.run(order, 2);
    console.log(order.id, order.total, reserved);
  }
}

await main();
