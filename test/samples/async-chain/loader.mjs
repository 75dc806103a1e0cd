import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const { pages } = require("./pages.cjs");

export async function load(request, queue) {
  const seen = [];
  for await (const page of pages(request.id, 2)) {
    seen.push(page);
    await queue.push(page);
  }
  return seen;
}
