export interface Line {
  readonly sku: string;
  readonly count: number;
}

export class Order {
  #total = 0;
  readonly lines: Line[] = [];
  constructor(
    readonly id: number,
    readonly customer: string,
  ) {}

  add(line: Line): this {
    this.lines.push(line);
    this.#total += line.count;
    return this;
  }

  get total(): number {
    return this.#total;
  }
}

export function* chunks<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) {
    const part = items.slice(start, start + size);
    yield part;
  }
}
