/** Captures its own namespace while `late` is in its temporal dead zone. */
import { serializeGraph } from "../../src/graph/serialize-graph.ts";
// oxlint-disable-next-line import/no-self-import, import/no-cycle -- Its own namespace is the subject.
import * as self from "./namespace-program.ts";

const result = serializeGraph([{ locals: [{ name: "self", value: self }] }]);
console.log(result.nodes[0]?.typeName, result.nodes.length);

export const late = 1;
