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
