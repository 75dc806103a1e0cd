import { chunks, type Line, Order } from "./model.ts";
import { reserve } from "./stock.ts";

type Step = (part: readonly Line[]) => Promise<number>;

export class Checkout {
  private readonly attempts = new Map<number, number>();

  async run(order: Order, size: number): Promise<number> {
    const attempt = (this.attempts.get(order.id) ?? 0) + 1;
    this.attempts.set(order.id, attempt);
    const step: Step = async (part) => {
      const label = `${order.id}/${part.length}`;
      try {
        return await reserve(order, part);
      } catch (reason) {
        throw new Error(`cannot reserve ${label}`, { cause: reason });
      }
    };
    let sum = 0;
    for (const part of chunks(order.lines, size)) {
      sum += await step(part);
    }
    return sum;
  }
}
