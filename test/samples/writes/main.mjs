// Writes of every kind: variables, properties, collections; recursion, closures, generators, awaits.
class Cart {
  #count = 0;
  items = [];
  add(item) {
    this.items.push(item);
    this.#count += 1;
    return this;
  }
  take() {
    return this.items.pop();
  }
}

function down(level) {
  let seen = level * 10;
  if (level > 0) down(level - 1);
  seen += 1;
  return seen;
}

function counter() {
  let value = 0;
  return () => ++value;
}

function* walk(limit) {
  for (let at = 0; at < limit; at++) yield at;
}

async function load(id) {
  let text = `start ${id}`;
  await null;
  text += " end";
  cache.set(id, text);
}

const cache = new Map();
const cart = new Cart();
const password = "correct horse battery";

cart.add({ name: "tea" }).add({ name: "cup" });
cart.take();
down(2);
const first = counter();
const second = counter();
first();
second();
first();
print([...walk(2)].length);
await Promise.all([load(1), load(2)]);

const order = { price: 3, note: undefined };
order.price *= 2;
order.note ??= password;
delete order.note;
[order.a, order.b] = [1, 2];
order.self = order;
cache.delete(1);

fail(order, cart);

function fail(what, basket) {
  basket.failed = what;
  throw new Error(`no ${what.price}`);
}

function print(count) {
  process.stdout.write(`${count} values\n`);
}
