// Types at run time whose names a file explains itself: aliases, enums and type parameters.

(Reflect as any).metadata = (key: string, value: unknown) => (_: any, name?: string) => {
  const kinds = Array.isArray(value) ? value.map((type: any) => type?.name) : (value as any)?.name;
  console.log(key, kinds, name);
};
const d: any = () => undefined;

type Status = "open" | "done";
type MaybeStatus = Status | null;
type Deep = MaybeStatus;
type Id = number & { readonly brand: 1 };
type Callback = () => void;
type Same = Known;
type Shape = { a: 1 };
enum Color {
  Red,
  Green = Red + 1,
}
enum Letter {
  A = "a",
  B = `b`,
  C = A,
  D = Letter.A,
  E = (A),
  F = "x" + "y",
}
enum Mixed {
  A,
  B = "b",
}
declare enum Elsewhere {
  A = 1,
}
type Letters = Letter;
type Flag = true | false;
type Nothing = undefined;
type Never = never;
type Made = { new (): Known };
type Sign = symbol;
type Big = 1n | -2n;
type Text = `a${string}`;
type Around = (("a"));
export type Exported = -1;
class Known {}

export class Fields<T extends string, U extends Known, V, W extends T> {
  @d a1: Status;
  @d a2: MaybeStatus;
  @d a3: Id;
  @d a4: Callback;
  @d a5: Same;
  @d a6: Shape;
  @d a7: Color.Red | Color.Green;
  @d a8: Color.Red | Letter.A;
  @d a9: Letters;
  @d b1: Flag;
  @d b2: Status | null;
  @d b3: Status | string;
  @d b4: Status | Known;
  @d b5: Deep;
  @d b6: Nothing;
  @d b7: Never;
  @d b8: Made;
  @d b9: Exported;
  @d c1: Sign;
  @d c2: Big;
  @d c3?: Status;
  @d c4: Text;
  @d static c5: Around;
  @d c6: T;
  @d c7: U;
  @d c8: V;
  @d c9: W;
  @d e1: T | null;
  @d e2: (Status);
  @d e3: Mixed;
  @d e4: Mixed.A;
  @d e5: Color | Letter;
  @d e6: Elsewhere.A;
  @d e7: Known | Color;
  @d e8:
    | "a"
    | Letter.C;
  @d m(a: Status, b: Color.Red = 0, ...c: Status[]): Id {
    return 1 as Id;
  }
  @d n(...c: Array<Color>): MaybeStatus {
    return null;
  }
  @d o(...c: [Status]): Callback {
    return () => undefined;
  }
  @d async p(...c: readonly Status[]): Promise<Status> {
    return "open";
  }
  @d q(...c: Known[]): asserts c is [] {}
  r(@d x: Status, y: any, ...z: any) {}
  s(x: Status) {}
}

@d
class Built {
  constructor(
    private a: Status,
    b?: Id,
    readonly c: Same = {},
    ...e: Status[]
  ) {}
}
new Built("open");
