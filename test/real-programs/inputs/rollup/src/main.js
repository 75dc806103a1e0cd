import { used, default as def } from "./lib.js";
import * as ns from "./ns.js";
export const value = used(def) + ns.a;
export default class extends def.constructor { static x = ns.b; }
import("./lazy.js").then(({ lazy }) => lazy());
