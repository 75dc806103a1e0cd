/** Captures its own namespace while `late` is in its temporal dead zone. */
import { serializeGraph } from "../../src/graph/serialize-graph.ts";
import * as self from "./namespace-program.ts";

const result = serializeGraph([{ locals: [{ name: "self", value: self }] }]);
console.log(result.nodes[0]?.typeName, result.nodes.length);

export const late = 1;
