import { area, type Shape } from "./shapes";
import text from "virtual:greeting";
import data from "./data.json";

enum Mode { Fast = "fast", Slow = "slow" }

export async function run(shapes: readonly Shape[], mode: Mode = Mode.Fast): Promise<string> {
  const lazy = await import("./lazy");
  const total = shapes.reduce((sum, shape) => sum + area(shape), 0);
  return lazy.format(`${text} ${mode} ${data.name}`, total ?? 0);
}
