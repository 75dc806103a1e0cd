/** Random programs out of namespaces: the same for the same seed. */

/** Numbers in a row that a seed decides. */
class Row {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.below(from.length)];
    if (picked === undefined) throw new RangeError("There is nothing to pick from");
    return picked;
  }
}

const NAMES = ["a", "b", "c", "N", "M"] as const;
/** Namespaces and enums have names that are only read: what TypeScript's output does else is chance. */
const WRITTEN = ["a", "b", "c"] as const;
const READ = [...NAMES, "E", "F"] as const;
const NAMESPACES = ["N", "M", "P"] as const;

/** What a block has declared, so that nothing is declared twice. */
type Taken = Map<string, string>;

interface Place {
  readonly row: Row;
  readonly depth: number;
  /** Names of variables that are exported somewhere of that name. */
  readonly taken: Taken;
}

/** An ES module that exports what it has logged. */
export function namespaceProgram(seed: number): string {
  const row = new Row(seed);
  const merged = new Map<string, Taken>();
  const parts: string[] = [];
  const count = 2 + row.below(3);
  for (let at = 0; at < count; at++) {
    const name = row.pick(NAMESPACES);
    const taken = merged.get(name) ?? new Map<string, string>();
    merged.set(name, taken);
    const prefix = row.below(4) === 0 ? "export " : "";
    // A variable is exported in all of its declarations or in none.
    const known = taken.get("<export>") ?? prefix;
    taken.set("<export>", known);
    parts.push(`${known}${namespaceText({ row, depth: 0, taken }, name)}`);
  }
  const ends = [...merged.keys()].map(
    (name) => `log.push(${JSON.stringify(name)}, Object.keys(${name}), show(${name}));`,
  );
  return `const log: unknown[] = [];
const show = (value: unknown, depth = 0): unknown =>
  typeof value === "function" ? "f " + value.name + " " + show({ ...value }, depth + 1)
  : typeof value !== "object" || value === null ? String(value)
  : depth > 3 ? "…" : Object.entries(value).map(([key, inner]) => key + "=" + show(inner, depth + 1)).join();
const note = (make: () => unknown): void => {
  try { log.push(show(make())); } catch (error) { log.push(String(error)); }
};
const a = "top a", b = "top b";
${parts.join("\n")}
${ends.join("\n")}
export { log };
`;
}

function namespaceText(place: Place, name: string): string {
  const { row } = place;
  // Names of the block that nothing outside sees.
  const locals: Taken = new Map();
  const statements: string[] = [];
  const count = 2 + row.below(5);
  for (let at = 0; at < count; at++) statements.push(statementText(place, locals));
  return `namespace ${name} {\n${statements.join("\n")}\n}`;
}

function statementText(place: Place, locals: Taken): string {
  const { row, taken, depth } = place;
  const name = row.pick(NAMES);
  const value = `${row.below(100)}`;
  const isFree = !locals.has(name) && !taken.has(name);
  switch (row.below(isFree ? 12 : 5)) {
    case 0:
      return changeText(row);
    case 1:
      return `note(() => { ${scopeText(row)} });`;
    case 2:
      return `note(() => ({ ${row.pick(READ)}, x: ${row.pick(READ)} }));`;
    case 3:
      return `note(() => typeof ${row.pick(READ)} + [${row.pick(READ)}].map((${row.pick(READ)}: any) => show(${row.pick(READ)})));`;
    case 4:
      if (depth > 1 || taken.get(name) !== "namespace") return changeText(row);
      // Another block of an inner namespace.
      return `export ${namespaceText({ row, depth: depth + 1, taken: innerOf(place, name) }, name)}`;
    case 5:
      taken.set(name, "variable");
      return `export ${row.pick(["let", "var"])} ${name}${row.pick(["", ": any"])} = ${value};`;
    case 6:
      taken.set(name, "variable");
      return `export let ${name}: any, ${name}0 = ${value}, { ${name}1 = ${name}0, ...${name}2 }: any = { z: 1 }, [${name}3, { length: ${name}4 }]: any = [1, "xyz"];`;
    case 7:
      taken.set(name, "function");
      return `export function ${name}(x: any = ${row.pick(NAMES)}) { ${scopeText(row)} }`;
    case 8:
      taken.set(name, "class");
      return `export class ${name} { static n: any = typeof ${row.pick(NAMES)}; m(x = ${row.pick(NAMES)}) { ${scopeText(row)} } }`;
    case 9:
      locals.set(name, "local");
      return `let ${name}: any = ${value};`;
    case 10:
      if (depth > 1 || WRITTEN.some((written) => written === name)) return changeText(row);
      taken.set(name, "namespace");
      return `export ${namespaceText({ row, depth: depth + 1, taken: innerOf(place, name) }, name)}`;
    default:
      return enumText(place);
  }
}

/** Another block may add to the enum, and name what the first one has. */
function enumText({ row, taken }: Place): string {
  const name = row.pick(["E", "F"]);
  const count = Number(taken.get(name) ?? 0);
  taken.set(name, String(count + 1));
  const first = `A${count} = ${count === 0 ? row.below(100) : `A${count - 1} + 10`}`;
  return `export enum ${name} { ${first}, B${count} = A${count} * 2, C${count} = "${name}".length }`;
}

const INNER = new WeakMap<Taken, Map<string, Taken>>();

/** What the blocks of an inner namespace have declared together. */
function innerOf({ taken }: Place, name: string): Taken {
  const all = INNER.get(taken) ?? new Map<string, Taken>();
  INNER.set(taken, all);
  const inner = all.get(name) ?? new Map<string, string>();
  all.set(name, inner);
  return inner;
}

/** Something that assigns; whatever it throws is noted. */
function changeText(row: Row): string {
  const name = row.pick(WRITTEN);
  const other = row.pick(WRITTEN);
  return row.pick([
    `note(() => (${name} as any)++);`,
    `note(() => ((${name} as any) -= 2));`,
    `note(() => { [${name} as any, ${other} as any] = [1, 2]; });`,
    `note(() => { ({ ${name}, x: ${other} = 5 } = { ${name}: 7 } as any); });`,
    `note(() => { for (${name} of [1, 2] as any) note(() => ${name}); });`,
    `note(() => (${name} as any)(${other}));`,
    `note(() => (${name} as any)?.[${other} as any]);`,
    `note(() => new (${name} as any)().m());`,
    `note(() => ((${name} as any) ??= () => ${other}));`,
  ]);
}

/** The body of a function that may hide names. */
function scopeText(row: Row): string {
  const name = row.pick(NAMES);
  const other = row.pick(READ);
  return row.pick([
    `return ${name};`,
    `let ${name}: any = 1; return [${name}, typeof ${other}];`,
    `if (true) { var ${name}: any = 2; } return { ${name}, ${other} };`,
    `try { throw 3; } catch (${name}) { return [${name}, ${other}]; }`,
    `for (const ${name} of [4]) { return { ${name}, x: typeof ${other} }; }`,
    `return ((${name}: any, { ${other}: x }: any) => [${name}, x, ${other}])(5, {});`,
    // TypeScript does not see that the name of an expression hides the object of a namespace.
    `return (function self(): any { return [typeof ${name}, typeof self, typeof ${other}]; })();`,
    `switch (1) { case 1: let ${name} = 6; return { ${name}, ${other} }; }`,
    `return class self { static ${other} = typeof ${name}; static { var ${other} = 1; } };`,
    `{ function ${name}() { return ${other}; } return typeof ${name}; }`,
    `${name}: for (;;) { break ${name}; } return ${name};`,
  ]);
}
