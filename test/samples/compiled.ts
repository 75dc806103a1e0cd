interface Sample { readonly id: number; readonly values: number[] }

class Store<T extends Sample> {
  private readonly items: T[] = [];

  add(item: T): void {
    const before: number = this.items.length;
    if (item.values.length === 0) {
      throw new RangeError(`no values in ${item.id} after ${before}`);
    }
    this.items.push(item);
  }
}

export async function load(ids: readonly number[]): Promise<void> {
  const store = new Store<Sample>();
  for (const id of ids) {
    await Promise.resolve();
    store.add({ id, values: id > 1 ? [] : [id] });
  }
}

void load([1, 2]);
