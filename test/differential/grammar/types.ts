/**
 * Types of TypeScript: where a program is typed they may stand behind any name.
 */
import type { Context } from "./context.ts";

const SIMPLE = ["any", "number", "string | null", "unknown[]", "readonly string[]", "this", "void"];
const COMPOUND = [
  "{ x: number; y?: string }",
  "(a: number, ...b: any[]) => void",
  "new (a: any) => object",
  "[a: string, b?: number, ...c: boolean[]]",
  "Record<string, Array<number>>",
  "keyof typeof ob",
  "typeof import('node:path')",
  "`a${string}`",
  "{ readonly [K in 'a' | 'b']?: K }",
  "Promise<Map<string, Set<number>>>",
  "unique symbol | 1n | -1",
  "(abstract new () => object) & { x: 1 }",
  "bigint | symbol | undefined",
  "[number?]",
  "Intl.Collator",
  "string[] extends (infer U)[] ? U : never",
  "asserts a is string",
];

export function type(g: Context): string {
  if (g.chance(75)) return g.pick(SIMPLE.filter((text) => text !== "this"));
  return g.pick(
    COMPOUND.filter((text) => !text.startsWith("asserts") && !text.startsWith("unique")),
  );
}

export function annotation(g: Context): string {
  return g.kind.isTyped && g.chance(25) ? `: ${type(g)}` : "";
}
