// Decorators of before the standard, with types at run time and fields that are assigned.
import { Shape, Square } from "./shapes.ts";

const metadata = new Map<unknown, unknown[]>();
if (process.argv[2] !== "none") (Reflect as any).metadata = (key: string, value: unknown) => (target: any, name?: string) => {
  const kinds = Array.isArray(value) ? value.map((type: any) => type?.name) : (value as any)?.name;
  console.log("metadata", key, kinds, target.name ?? target.constructor.name, name);
};

function note(label: string): any {
  console.log("evaluate", label);
  return (target: any, name?: string, third?: any) => {
    const rest = typeof third === "number" ? third : typeof third;
    console.log("call", label, typeof target, name, rest);
  };
}

/** As MobX does: the field becomes a pair on the prototype, so it has to be assigned. */
function observed(target: any, name: string): void {
  const values = new WeakMap<object, unknown>();
  Object.defineProperty(target, name, {
    get(this: object) {
      return values.get(this);
    },
    set(this: object, value: unknown) {
      console.log("set", name, value);
      values.set(this, value);
    },
  });
}

function sealed<T extends new (...rest: any[]) => object>(constructor: T) {
  return class extends constructor {
    sealed = true;
  };
}

@sealed
@note("class")
export class Order {
  static count = 0;
  @observed total = 3;
  @note("declared") shape!: Square;
  @note("union") maybe: string | null = null;
  nothing?: string;

  constructor(
    @note("parameter") private readonly items: string[],
    @note("number") count: number,
  ) {
    Order.count += count;
  }

  @note("method")
  @note("second")
  add(@note("of add") item: string, shape?: Square): Promise<void> {
    this.items.push(item);
    return Promise.resolve();
  }

  areaOf(shape: Shape): number {
    return shape.area();
  }

  @note("getter") get size(): number {
    return this.items.length;
  }
  @note("static") static create(): Order {
    return new Order([], 1);
  }
  @note("computed") ["say" + "It"](when: Date) {}
}

const order = Order.create();
order.total = 4;
await order.add("a", new Square());
console.log(order.size, order.total, Order.count, Object.keys(order).join(), metadata.size);
console.log("nothing" in order, (order as any).sealed, Order.name);
