// Crashes in a method that is decorated, of a class that is.
interface Item {
  price: { amount: number };
}
function logged(value: (...rest: any[]) => any, _context: unknown) {
  return function (this: unknown, ...rest: unknown[]) {
    return value.apply(this, rest);
  };
}
const tagged = (tag: string) => (value: Function, _context: unknown) => {
  Object.assign(value, { tag });
};

@tagged(
  "cart",
)
class Cart {
  accessor owner = "ann";
  @logged total(items: Item[], rate: number): number {
    let sum = 0;
    for (const item of items) {
      const price = item.price;  sum += price.amount * rate;
    }
    return sum;
  }
}

const cart = new Cart();
cart.total([{ price: { amount: 2 } }, {} as Item], 1.5);
