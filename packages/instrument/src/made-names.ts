/** Names that our own compiling puts into a text; a text that has them already is left alone. */

/** With what variables, private names and the directive of added functions begin. */
export const MADE = "__obD";

/** The global that compiled decorators call; as long as the name that the compiler writes. */
export const DECORATORS = "__obDecorate";

/** The variable of a class without a name that an assignment would give a name to. */
export function madeName(state: string, inferred: string): string {
  return `${state}c$${/^[A-Za-z_$][\w$]*$/.test(inferred) ? inferred : ""}`;
}

/** The name that the program knows: of such a class, the one that it would have been given. */
export function ownName(name: string): string {
  return name.startsWith(MADE) ? name.slice(name.indexOf("$") + 1) : name;
}

/** `N` of `N_1`, as the object of a namespace is called where its own name is hidden. */
export function withoutNumber(name: string): string {
  return name.replace(/_\d+$/, "");
}

/** Names of the compiler's own in what it made of a source: they begin with `_`, as none there does. */
export function namesMadeIn(compiled: string, source: string): ReadonlySet<string> {
  const made = new Set(compiled.match(OWN_NAME));
  if (made.size === 0) return made;
  // A name of the program may be spelled with escapes.
  if (source.includes("\\u")) return new Set();
  for (const name of source.match(OWN_NAME) ?? []) made.delete(name);
  return made;
}

/** A whole name that begins with `_`. */
const OWN_NAME = /(?<![\w$\u0080-\uffff])_[\w$\u0080-\uffff]*/g;
