/**
 * Spells the probes: every text that is put into a program comes from here.
 *
 * No text holds a line break, so lines stay where they are. The only numbers written with `0x`
 * are ids. Form: docs/decisions/0002-probe-form.md.
 */

import type { Piece } from "./edits.ts";
import type { RingMask } from "./instrumented.ts";
import type { FunctionContext, Globals } from "./scopes.ts";

const KIND_SHIFT = 28;
const EXIT_EVENT = 1 << KIND_SHIFT;
/** As the program reads them: shorter than the numbers, which the parser makes of them. */
const EXIT_BIT = "1<<28";
const ERROR_BIT = "1<<31";

/** Spells probes with names that begin with `prefix`, which the program does not use. */
export class ProbeText {
  readonly #prefix: string;
  /** A module's own constants: a nanosecond cheaper than cells of the global object. */
  readonly constants: Globals;
  /** Global names, for functions that a cycle of imports may call before the prologue ran. */
  readonly globals: Globals;
  /** `$ol=`, before an id. */
  readonly at: string;

  readonly #notesWrites: boolean;
  readonly #isMaskRead: boolean;

  constructor(prefix: string, ringMask: RingMask, notesWrites: boolean) {
    this.#prefix = prefix;
    this.#notesWrites = notesWrites;
    this.#isMaskRead = ringMask === "at runtime";
    this.constants = globalsOf(prefix, prefix, ringMask);
    this.globals = globalsOf("__ob", prefix, ringMask);
    this.at = `${prefix}l=`;
  }

  mirror(index: number): string {
    return this.#prefix + index;
  }

  /** A variable of the function: `l` where it is, `w` what it awaits, `z` what it throws … */
  temporary(letter: string): string {
    return this.#prefix + letter;
  }

  /** What the function returns, on its way to the exit. */
  get result(): string {
    return `${this.#prefix}r`;
  }

  /** Stands before the block of a body. */
  get label(): string {
    return `${this.#prefix}b`;
  }

  /** The number of the activation of a function that is running; unique in its text. */
  activation({ id }: FunctionContext): string {
    return `${this.#prefix}a${id}`;
  }

  event(context: FunctionContext, id: number, kind: number): Piece {
    return [context.globals.next, id + kind * EXIT_EVENT];
  }

  functionHead(context: FunctionContext, mirrorWrites: string): Piece {
    const { globals, id } = context;
    const variables = this.#variables(context);
    const label = context.exit?.usesLabel === true ? `${this.label}:` : "";
    return [
      globals.next,
      id,
      globals.letAt,
      id,
      `${globals.error}${variables};${label}try{${mirrorWrites}`,
    ];
  }

  /**
   * Ends the body of a `for await`: an error keeps the place where it was thrown, although the
   * loop goes on to close its iterator.
   */
  loopCatch(): string {
    const p = this.#prefix;
    return `}catch(${p}e){${p}y=${p}e;${p}q=${p}l;throw ${p}e}`;
  }

  /** Keeps the place over a `finally` block; those inside of it have a variable of their own. */
  get keptPlace(): readonly [keep: string, restore: string] {
    const p = this.#prefix;
    return [`let ${p}f=${p}l;`, `;${p}l=${p}f`];
  }

  /**
   * Keeps nameless functions in the head of a loop from being called after what is assigned next:
   * each compound assignment makes the engine give up one of them.
   */
  unnamed(count: number): string {
    return `${this.at.slice(0, -1)}|=0;`.repeat(Math.min(count, MAX_UNNAMED));
  }

  functionFoot(context: FunctionContext, self: string, values: string): Piece {
    const p = this.#prefix;
    const awaited = context.temporaries.includes("w") ? `,${p}w` : "";
    const { foot, tail } = context.globals;
    if (context.exit !== undefined) {
      const { hasResult, mayBeCancelled, last } = context.exit;
      const forgotten =
        hasResult && mayBeCancelled && last?.type !== "ReturnStatement"
          ? `;${this.result}=void 0`
          : "";
      const end = `])}catch{}if(${p}l<0)throw ${p}x}${hasResult ? `return ${this.result}` : ""}`;
      return [forgotten, tail, self, ",[", values, end];
    }
    const begin = `}catch(${p}e){`;
    const whole = context.temporaries.includes("q")
      ? `${begin}if(${p}q&&${p}y===${p}e)${p}l=${p}q;${foot.slice(begin.length)}`
      : foot;
    return [whole, self, ",[", values, `]${awaited}${FOOT_END}`];
  }

  emptyBody({ globals, id }: FunctionContext): Piece {
    return [globals.next, id, ";", globals.next, id + EXIT_EVENT];
  }

  /** Leaves the values of a frame with an operation that waits for the frames that started it. */
  startingFrame({ globals }: FunctionContext): readonly [before: string, after: string] {
    const p = this.#prefix;
    return [`${globals.head}[1]&&${globals.runtime}.x(${p}l,void 0,`, `,${p}w)`];
  }

  /** Lets the runtime read private fields: only code inside the class can. */
  privates({ globals }: FunctionContext, names: readonly string[]): string {
    const p = this.#prefix;
    const reads = names
      .map(
        (name) =>
          `if(#${name} in ${p}t)${p}r[${p}r.length]="#${name}",${p}r[${p}r.length]=${p}t.#${name};`,
      )
      .join("");
    return `;static{${globals.runtime}.k(this,${p}t=>{const ${p}r=[];${reads}return ${p}r})}`;
  }

  moduleHead(context: FunctionContext, wrapped: boolean): Piece {
    const p = this.#prefix;
    const { ring, head, runtime, next } = this.constants;
    const { id, locals } = context;
    const cases = locals.map(({ text }, index) => `case ${index}:return ${text};`).join("");
    const reader = `${p}i=>{switch(${p}i){case -1:return ${p}l;${cases}}}`;
    const values = `()=>{const ${p}a=[];for(let ${p}i=0;${p}i<${locals.length};${p}i++)try{${p}a[${p}i]=${p}m(${p}i)}catch{${p}a[${p}i]=void 0}return ${p}a}`;
    const variables = this.#variables(context);
    const { write, store, change, activations } = this.constants;
    const writes = this.#notesWrites
      ? `,${write}=__obW,${store}=__obS,${change}=__obC,${activations}=__obA`
      : "";
    const mask = this.#isMaskRead ? `,${p}M=__obM` : "";
    const constants = `const ${ring}=__obR,${head}=__obH,${runtime}=__obF${mask}${writes}`;
    const register: Piece = [`${runtime}.m(`, 0, `,${p}m);`];
    const entry: Piece = [`${p}n=${values};${next}`, id, `;let ${this.at}`, id];
    if (wrapped) {
      return [`${constants},`, entry, `,${p}x,${p}m${variables};try{${p}m=${reader};`, register];
    }
    return [`${constants},${p}m=${reader},`, entry, `${variables};`, register];
  }

  moduleFoot(wrapped: boolean): Piece {
    const { foot, exit, runtime } = this.constants;
    if (wrapped) return `${foot}this,${this.moduleValues}${FOOT_END}`;
    return [`;${exit};${runtime}.e(`, 0, ");"];
  }

  get moduleValues(): string {
    return `${this.#prefix}n()`;
  }

  #variables(context: FunctionContext): string {
    let text = context.exit?.hasResult === true ? `,${this.result}` : "";
    for (const letter of context.temporaries) text += `,${this.#prefix}${letter}`;
    for (const index of context.mirrors) text += `,${this.#prefix}${index}`;
    if (context.usesActivation) {
      text += `,${this.activation(context)}=${context.globals.activations}[0]++`;
    }
    return text;
  }
}

/** A marker lets `Function.prototype.toString` be answered with the original text. */
export const MARKER_START = "/*__ob:";
export const MARKER_END = "*/";

/** More functions than that in one head of a loop are not worth the text. */
const MAX_UNNAMED = 8;

const FOOT_END = ")}catch{}}";

function globalsOf(globalPrefix: string, p: string, ringMask: RingMask): Globals {
  const ring = `${globalPrefix}R`;
  const head = `${globalPrefix}H`;
  const runtime = `${globalPrefix}F`;
  const mask = ringMask === "at runtime" ? `${globalPrefix}M` : ringMask;
  const next = `${ring}[${head}[0]++&${mask}]=`;
  const exit = `${next}${p}l|${EXIT_BIT}`;
  return {
    ring,
    head,
    runtime,
    next,
    exit,
    birth: `${runtime}.b(`,
    write: `${globalPrefix}W`,
    store: `${globalPrefix}S`,
    change: `${globalPrefix}C`,
    activations: `${globalPrefix}A`,
    letAt: `;let ${p}l=`,
    error: `,${p}x`,
    tail: `}catch(${p}e){${p}x=${p}e;${p}l|=${ERROR_BIT}}${exit};if(${p}l<0||${head}[1]){try{${runtime}.x(${p}l,${p}x,`,
    foot: `}catch(${p}e){${p}x=${p}e;${p}l|=${ERROR_BIT};throw ${p}e}finally{${exit};if(${p}l<0||${head}[1])try{${runtime}.x(${p}l,${p}x,`,
  };
}
