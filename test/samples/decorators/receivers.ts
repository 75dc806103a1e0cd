// What decorators are called on, what classes without a name are called, and static private
// members of a class that a decorator puts another one in the place of.

const show = (...values: unknown[]): void => console.log(...values);

const tools: any = {
  inner: { note: (): void => undefined },
  field(this: any, _: unknown, context: any) {
    show(context.kind, context.name, this === tools, this === tools.inner);
  },
  list: [
    function (this: any, _: unknown, context: any) {
      show(context.name, this === tools.list);
    },
  ],
  make(this: any, ..._: unknown[]) {
    show("made", this === tools);
    return function (this: any, _: unknown, context: any) {
      show(context.name, this === undefined);
    };
  },
};
tools.inner.note = tools.field;

@tools.field
class Receivers {
  @tools.field a = 1;
  @tools.inner.note b() {}
  @(tools.list[0]) c = 2;
  @(tools["field"]) get d() {
    return 1;
  }
  @(tools!.field as any) static e = 1;
  @tools.make() f() {}
  @(tools.field satisfies unknown) accessor g = 1;
  @(tools?.field) h = 1;
  @(tools.none?.there ?? tools["inner"]?.["note"]) i() {}
  @(tools.inner?.note) static j() {}
}
show(Receivers.name);

class Around {
  own = tools;
  make(): any {
    class Inside {
      @(this.own.field) a = 1;
      @(this.own.inner.note) b() {}
      @(this.own[this.own.key ?? "field"]) [`c`] = 1;
    }
    return new Inside();
  }
}
show(Object.keys(new Around().make()));

const named: any = (_: any, context: any) => {
  show("called", context.name, _.name);
};
const A = (@named class {});
let B = @named class {
  static name = "own";
};
const C = @named class {} as unknown;
const D = (@named class {} satisfies unknown)!;
const objects = { ["E"]: @named class {}, "f g": @named class {}, h: (@named class {}) };
show((A as any).name, B.name, (C as any).name, (D as any).name, objects.E.name);
show(objects["f g"].name, objects.h.name);

const replaced: any = (value: any) => class Other extends value {};
@replaced
class Counter {
  static #count = 1;
  static #step() {
    return 2;
  }
  static get #twice() {
    return Counter.#count * 2;
  }
  static accessor #kept = 5;
  static next() {
    Counter.#count += Counter.#step();
    this.#kept++;
    return [this.#count++, Counter.#count, Counter.#twice, Counter.#kept, #count in Counter];
  }
  static first = Counter.#count;
  static own = this.#step();
  static nested() {
    return class {
      #count = 7;
      all() {
        return [this.#count, Counter.#step(), #count in Counter, ((Counter)).#twice];
      }
    };
  }
  static {
    [Counter.#count, this.#kept] = [10, 20];
  }
}
show(Counter.name, Counter.first, Counter.own, Counter.next(), new (Counter.nested())().all());
for (const other of [{}, class {}]) {
  try {
    Counter.next.call(other as any);
  } catch (error) {
    show((error as Error).name);
  }
}

export {};
