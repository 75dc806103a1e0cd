/**
 * Spells the probes: every text that is put into a program comes from here.
 *
 * No text holds a line break, so lines stay where they are. The only numbers written with `0x`
 * are ids. Form: docs/decisions/0002-probe-form.md.
 */

import { idText } from "./edits.ts";
import type { FunctionContext, Globals } from "./scopes.ts";

const KIND_SHIFT = 28;
const EXIT_EVENT = 1 << KIND_SHIFT;
const LEFT_BY_ERROR = -2147483648;

/** Spells probes with names that begin with `prefix`, which the program does not use. */
export class ProbeText {
  readonly #prefix: string;
  readonly #mask: number;
  /** Names of a module's own constants: a nanosecond cheaper than cells of the global object. */
  readonly constants: Globals;
  /** Global names, for functions that a cycle of imports may call before the prologue ran. */
  readonly globals: Globals = { ring: "__obR", head: "__obH", runtime: "__obF" };

  constructor(prefix: string, ringMask: number) {
    this.#prefix = prefix;
    this.#mask = ringMask;
    this.constants = { ring: `${prefix}R`, head: `${prefix}H`, runtime: `${prefix}F` };
  }

  mirror(index: number): string {
    return this.#prefix + index;
  }

  /** A variable of the function: `l` where it is, `w` what it awaits, `z` what it throws … */
  temporary(letter: string): string {
    return this.#prefix + letter;
  }

  event(context: FunctionContext, id: number, kind: number): string {
    return `${this.#next(context)}=${idText(id + kind * EXIT_EVENT)}`;
  }

  at(id: number): string {
    return `${this.#prefix}l=${idText(id)}`;
  }

  marker(id: number): string {
    return `/*__ob:${idText(id)}*/`;
  }

  functionHead(context: FunctionContext, mirrorWrites: string): string {
    const entry = this.event(context, context.id, 0);
    return `${entry};let ${this.at(context.id)},${this.#prefix}x${this.#variables(context)};try{${mirrorWrites}`;
  }

  functionFoot(context: FunctionContext, self: string, values: string): string {
    const awaited = context.temporaries.has("w") ? `,${this.#prefix}w` : "";
    return this.#foot(context, `${self},[${values}]${awaited}`);
  }

  emptyBody(context: FunctionContext): string {
    return `${this.event(context, context.id, 0)};${this.event(context, context.id, 1)}`;
  }

  /** Leaves the values of a frame with an operation that waits for the frames that started it. */
  startingFrame(context: FunctionContext): readonly [before: string, after: string] {
    const { head, runtime } = context.globals;
    const p = this.#prefix;
    return [`${head}[1]!==0&&${runtime}.x(${p}l,void 0,`, `,${p}w)`];
  }

  /** Lets the runtime read private fields: only code inside the class can. */
  privates({ globals }: FunctionContext, names: readonly string[]): string {
    const p = this.#prefix;
    const reads = names
      .map((name) => `if(#${name} in ${p}t)${p}r[${p}r.length]="#${name}",${p}r[${p}r.length]=${p}t.#${name};`)
      .join("");
    return `static{${globals.runtime}.k(this,${p}t=>{const ${p}r=[];${reads}return ${p}r})}`;
  }

  moduleHead(context: FunctionContext, wrapped: boolean): string {
    const p = this.#prefix;
    const { ring, head, runtime } = this.constants;
    const cases = context.locals.map(({ text }, index) => `case ${index}:return ${text};`).join("");
    const reader = `${p}i=>{switch(${p}i){case -1:return ${p}l;${cases}}}`;
    const values = `()=>{const ${p}a=[];for(let ${p}i=0;${p}i<${context.locals.length};${p}i++)try{${p}a[${p}i]=${p}m(${p}i)}catch{${p}a[${p}i]=void 0}return ${p}a}`;
    const variables = this.#variables(context);
    const constants = `const ${ring}=__obR,${head}=__obH,${runtime}=__obF`;
    const entry = this.event(context, context.id, 0);
    const register = `${runtime}.m(${idText(0)},${p}m);`;
    if (wrapped) {
      return `${constants},${p}n=${values};${entry};let ${this.at(context.id)},${p}x,${p}m${variables};try{${p}m=${reader};${register}`;
    }
    return `${constants},${p}m=${reader},${p}n=${values};${entry};let ${this.at(context.id)}${variables};${register}`;
  }

  moduleFoot(context: FunctionContext, wrapped: boolean): string {
    if (wrapped) return this.#foot(context, `this,${this.moduleValues}`);
    return `;${this.#exit(context)};${this.constants.runtime}.e(${idText(0)});`;
  }

  get moduleValues(): string {
    return `${this.#prefix}n()`;
  }

  #foot(context: FunctionContext, passed: string): string {
    const p = this.#prefix;
    const { head, runtime } = context.globals;
    return `}catch(${p}e){${p}x=${p}e;${p}l|=${LEFT_BY_ERROR};throw ${p}e}finally{${this.#exit(context)};if(${p}l<0||${head}[1]!==0)try{${runtime}.x(${p}l,${p}x,${passed})}catch{}}`;
  }

  #exit(context: FunctionContext): string {
    return `${this.#next(context)}=${this.#prefix}l+${EXIT_EVENT}`;
  }

  #next({ globals }: FunctionContext): string {
    return `${globals.ring}[${globals.head}[0]++&${this.#mask}]`;
  }

  #variables(context: FunctionContext): string {
    let text = "";
    for (const letter of context.temporaries) text += `,${this.#prefix}${letter}`;
    for (const index of context.mirrors) text += `,${this.#prefix}${index}`;
    return text;
  }
}
