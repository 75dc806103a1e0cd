// Prints everything that shows a program its own text: stacks, functions as text, and their lines.
import { Shelf, hoisted, outer } from "./shelf.ts";

const early = hoisted(2);

function places(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Folders differ between builds.
  return (error.stack ?? "").replaceAll(/(?:file:\/\/)?\/[^\s()]*\//g, "");
}

function attempt(step: () => unknown): void {
  try {
    console.log(step());
  } catch (error) {
    console.log(places(error));
  }
}

attempt(() => new Shelf(3).take(7));
attempt(() => new Shelf(3).each((item: number) => { if (item > 1) throw new RangeError(`item ${item}`); }));
attempt(() => [3, 1, 2].map((value) => { return [value].map((inner) => { throw new Error(`inner ${inner}`); }); }));
attempt(() => (null as unknown as { x: { y: number } }).x.y);
attempt(() => places(new Error("not thrown")));
attempt(() => new Error(places(new Error("inside"))).stack?.split("\n").length);

for (const text of [places, attempt, Shelf, Shelf.prototype.take, hoisted, outer, outer((a = () => 1) => a()), function () {
  return "nameless";
}, async (a: number) => await a, Object.getOwnPropertyDescriptor(Shelf.prototype, "size")?.get, Function.prototype.toString]) {
  console.log(String(text), (text as { name?: string }).name);
}

async function slow(depth: number): Promise<number> {
  await null;
  if (depth === 0) throw new TypeError("deep");
  const value = await slow(depth - 1);
  return value + 1;
}

async function main(): Promise<void> {
  console.log(early, await slow(3).catch(places));
  console.log(await Promise.all([slow(1), slow(2)]).catch(places));
  console.log(places(await new Promise((resolve) => { setTimeout(() => { resolve(new Error("timer")); }, 1); })));
}

void main();
