export class Cart {
  #lines: { sku: string; count: number }[] = [];
  readonly owner: string;

  constructor(owner: string) {
    this.owner = owner;
  }

  add(sku: string, count: number): void {
    this.#lines.push({ sku, count });
  }

  total(): number {
    let sum = 0;
    for (const line of this.#lines) {
      if (line.count < 0) throw new RangeError(`${line.sku}: ${line.count}`);
      sum += line.count;
    }
    return sum;
  }
}
