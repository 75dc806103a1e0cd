import { type Line, Order } from "./model.ts";

const shelf = new Map<string, number>([
  ["apple", 5],
  ["pear", 1],
]);

export class OutOfStock extends Error {
  override readonly name = "OutOfStock";
  readonly missing: number;
  constructor(sku: string, missing: number) {
    super(`${missing} of ${sku} missing`);
    this.missing = missing;
  }
}

function take(line: Line): number {
  const left = (shelf.get(line.sku) ?? 0) - line.count;
  if (left < 0) {
    const missing = -left;
    throw new OutOfStock(line.sku, missing);
  }
  shelf.set(line.sku, left);
  return left;
}

export async function reserve(order: Order, part: readonly Line[]): Promise<number> {
  let reserved = 0;
  for (const line of part) {
    await null;
    const left = take(line);
    reserved += line.count + left * 0;
  }
  return reserved;
}
