import { Box, Kind, twice } from "./dep.ts";
interface Item { id: number }
function load(item: Item): number {
  const id: number = twice(item.id);

  const box = new Box(id, id > 4 ? Kind.B : Kind.A);
  return box.open();
}
console.log(load({ id: 1 }), load.toString().length > 10, new Error("here").stack!.split("\n").slice(0, 3).join("|").replace(/file:\/\//g, ""));
console.log(load({ id: 3 }));
