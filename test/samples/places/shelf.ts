// A class with private state, a function that calls itself, and parameters with functions in them.
export class Shelf {
  #items: number[] = [];
  static kept = new Map<string, Shelf>();

  constructor(count: number) {
    for (let index = 0; index < count; index++) { this.#items.push(index); }
  }

  get size(): number {
    return this.#items.length;
  }

  take(index: number): number {
    const item = this.#items[index];
    if (item === undefined)
      throw new RangeError(`no item ${index} of ${this.size}`);
    return item;
  }

  each(visit: (item: number) => void): void {
    for (const item of this.#items) visit(item);
  }
}

export function hoisted(n: number): number { return n < 2 ? n : hoisted(n - 1) + 1; }

export function outer(
  make: (a?: () => number) => number = (a = () => 2) => a(),
  also: () => number = function named() {
    return 3;
  },
): () => number {
  return () => {
    const first = make();
    return first + also();
  };
}
