// Every kind of element with decorators of the standard: what is called, in which order, with what.
type Any = any;
const log: unknown[] = [];
const say = (...words: unknown[]): void => {
  console.log(...words);
};

function d(label: string, result?: (value: Any, context: Any) => unknown) {
  say("evaluate", label);
  return (value: Any, context: Any): Any => {
    const { kind, name, static: isStatic, private: isPrivate, access } = context;
    say("call", label, kind, String(name), isStatic, isPrivate, typeof value, Object.keys(access ?? {}));
    context.addInitializer?.(function (this: Any) {
      say("initialize", label, kind, typeof this);
      log.push(access);
    });
    return result?.(value, context);
  };
}

const times = (n: number) => () => (value: number) => value * n;
const twice = (value: Any, context: Any) =>
  context.kind === "method"
    ? function (this: Any, ...rest: Any[]) {
        return [value.apply(this, rest), value.apply(this, rest)];
      }
    : undefined;

class Base {
  hello() {
    return "hello of base";
  }
  static make() {
    return "make of base";
  }
}

const symbol = Symbol("sym");
const key = () => {
  say("key");
  return "computed";
};

@d("A1")
@d("A2")
class A<T = unknown> extends Base {
  @d("field", times(2)) field = (say("init field"), 1);
  plain = (say("init plain"), this.field);
  @d("static field", times(3)) static count = 5;
  @d("accessor", () => ({ init: (v: number) => v + 1, get() { return "got"; } })) accessor acc = 1;
  @d("static accessor") static accessor sacc: number = 7;
  @d("private field", times(10)) #p = 4;
  @d("private method", twice) #m(x: number): unknown {
    return ["hello", x, this.#p];
  }
  @d("private getter") get #g() {
    return "g" + this.#p;
  }
  @d("private setter") set #s(value: number) {
    this.#p = value;
  }
  @d("private accessor") accessor #pa = "pa";
  @d("static private") static #sp(this: Any) {
    return this.name;
  }
  @d("method", twice) method(a: number, b = 2) {
    return a + b;
  }
  @d("getter") get value() {
    return this.#g;
  }
  @d("setter") set value(x: string) {
    this.#s = Number(x);
  }
  @d("computed") [key()]() {
    return "c";
  }
  @d("symbol field") [symbol]?: string;
  @d("string") "a-b"() {}
  @d("number") 12() {}
  @d("async") async later() {
    return super.hello();
  }
  @d("static generator") static *gen() {
    yield A.count;
  }
  @d("named function") fn = () => {};
  static me = A;
  static self = this;
  last = 1;
  constructor(readonly given: T) {
    super();
    say("constructor", this.field, this.acc);
  }
  all(x: number) {
    return [this.#m(x), this.#pa, (this.#pa = "new"), this.#pa, A.#sp()];
  }
  static {
    say("static block", this === A, this.count);
  }
}

const a = new A("given");
say(a.all(3), a.method(1), a.value, (a.value = "8"), a.value, a.given);
say(A.count, A.sacc, (A.sacc = 9), A.sacc, [...A.gen()], A.me === A, A.name, a.last);
say(Object.getOwnPropertyNames(a), Object.getOwnPropertyNames(A.prototype), A.length);
a.later().then((text) => say(text));
for (const access of log as Any[]) {
  if (access === undefined) continue;
  try {
    say(access.has(a), access.has({}), typeof access.get?.(a));
    if (access.get?.(a) !== a.fn) access.set?.(a, "set");
  } catch (error) {
    say((error as Error).constructor.name);
  }
}

class Members {
  @d("only method") run() {
    return 1;
  }
}
say(new Members().run(), Members.name, String(Object.keys(new Members())));

class Derived extends Members {
  constructor() {
    super();
    say("derived", this.own);
  }
  @d("own") own = 3;
}
new Derived();

const expression = @d("expression") class {
  @d("inner") accessor x = 1;
};
say(expression.name, new expression().x);
const named = class Inner {
  @d("of inner") m() {
    return Inner.name;
  }
};
say(named.name, new named().m());
@d("replaced", (C) => class extends C { extra = "extra"; })
class Replaced {
  static create() {
    return new Replaced();
  }
}
say((Replaced.create() as Any).extra, Replaced.name);

function outer(this: Any) {
  class Inner {
    @(this.decorator) m() {}
    @(this.decorator) [String("k")]() {}
  }
  return Inner;
}
outer.call({ decorator: (_: Any, c: Any) => say("by this", c.name) });

try {
  class Bad {
    @(5 as Any) m() {}
  }
  say(Bad);
} catch (error) {
  say((error as Error).constructor.name);
}
try {
  class Worse {
    @((() => 5) as Any) m() {}
  }
  say(Worse);
} catch (error) {
  say(String(error));
}
class Plain {
  accessor a = 1;
  static accessor b = 2;
  accessor #c = 3;
  sum() {
    return this.a + Plain.b + this.#c++ + this.#c;
  }
}
say(new Plain().sum(), Object.keys(new Plain()));
export default @d("default") class {
  name = "n";
}
export @d("exported") class Exported {}
@d("before export")
export class Before {}
say(Exported.name, Before.name);
