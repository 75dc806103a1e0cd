import { a } from "./ns.js"; export async function lazy() { await null; return a; }
