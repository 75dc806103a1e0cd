// What the standard says and TypeScript's own output does not do, or cannot.
type Any = any;
const keep = (value: Any, _context: Any) => value;

class Base {
  hello() {
    return "base";
  }
  static make() {
    return "made";
  }
}
class A extends Base {
  @keep #m() {
    return super.hello();
  }
  @keep static #s() {
    return super.make();
  }
  @keep fn = () => {};
  @keep static c = class {};
  run() {
    return [this.#m(), A.#s(), this.fn.name, A.c.name, this.#m.name];
  }
}
console.log(new A().run().join());

class Derived extends Base {
  @keep own = 3;
  constructor(early: boolean) {
    if (early) super();
    else {
      super();
    }
  }
}
console.log(new Derived(true).own, new Derived(false).own);

const times = (n: number) => () => (value: number) => value * n;
const list = [1, 2].map(
  (n) =>
    @keep
    class {
      @(times(n) as Any) v = 10;
    },
);
console.log(list.map((C) => [C.name, new C().v].join(":")).join());

export default @((_: Any, context: Any) => console.log(context.name)) class {
  m() {}
}

class Method {
  @keep async *say<T>(x: T) {
    yield x;
  }
}
console.log(String(Method.prototype.say), String(Method).includes("__ob"));
