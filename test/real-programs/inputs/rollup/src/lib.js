export function used(x) { return x ? 1 : 2; }
export function unused() { return /* never */ 3; }
export default { constructor: class Base { #p = 1; get p() { return this.#p; } } };
