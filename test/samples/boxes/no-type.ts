import fs from "node:fs";
export const a: number = 1;
function f(x: number): string { return typeof fs + x; }
console.log(f(a), String(f).includes(": number"));
