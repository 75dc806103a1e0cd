// The same with decorators of before the standard.
import { Square } from "./shapes.ts";

enum Kind {
  Small = "small",
}
function logged(_target: object, _name: string, descriptor: PropertyDescriptor): void {
  const { value } = descriptor;
  descriptor.value = function (this: unknown, ...rest: unknown[]) {
    return value.apply(this, rest);
  };
}
const injected = (_target: object, _name: unknown, _index: number): void => {};

@((constructor: Function) => void Object.assign(constructor, { tag: "cart" }))
class Cart {
  kind = Kind.Small;
  constructor(@injected private readonly shape: Square) {}

  @logged
  total(items: { price: { amount: number } }[], rate: number): number {
    let sum = this.shape.area();
    for (const item of items) {
      const price = item.price;  sum += price.amount * rate;
    }
    return sum;
  }
}

const cart = new Cart(new Square());
cart.total([{ price: { amount: 2 } }, {} as never], 1.5);
