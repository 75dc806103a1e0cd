/**
 * A program that is bundled and minified before it runs, with probes written by the build:
 *
 *   npx vite build examples/built
 *   flight run examples/built/dist/main.js
 *
 * It crashes in `cart.ts`; the recording shows that file, with the names and the places of it.
 */
import { checkout } from "./cart.ts";

console.log(checkout({ items: [{ name: "tea", price: 4 }], code: "TEN" }));
console.log(checkout({ items: [{ name: "cup", price: 9 }], code: "SPRING" }));
