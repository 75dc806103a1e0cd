// A program as bundlers and tsx run it: no endings, folders, aliases, types imported like values.
import { readFileSync } from "node:fs";
import Shape, { Circle, type Ring } from "./src/models";
import { Options } from "./src/options";
import { format } from "@/lib/format";
import { sum } from "@/lib/util/sum.js";
import exact from "exact";
import { made } from "generated/made";
import { only } from "./src/only-types";
import settings from "./settings.json";
import { start } from "./src/mod.mjs";

const options: Options = { name: settings.name };
const shapes: Shape[] = [new Circle(2)];
console.log(format(options.name), sum(1, 2), exact, made, start(), settings.list.length);
console.log(shapes.map((shape) => shape.area().toFixed(2)).join());
const lazy = await import("./src/lazy");
console.log(lazy.late(), typeof readFileSync);
try {
  await import("./src/not-there");
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  console.log(code, message.replaceAll(import.meta.dirname, ""));
}
let ring: Ring | undefined;
let nothing: only | undefined;
lazy.fail({ shapes, ring, nothing });
