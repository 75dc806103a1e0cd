export type { default } from "./shape";
export { Circle } from "./circle.js";
export type { Ring } from "./shape";
