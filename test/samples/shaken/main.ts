// Uses a little of a library that has much more.
import { area } from "./shapes.ts";

console.log(area(2));
