/**
 * A recording with writes: two activations of one function, one of which calls the other, and an
 * object that is changed under two names.
 */
import type { MutationRecord } from "@orangebox/format";

import { buildRecording, node } from "./build-recording.ts";

interface Written {
  readonly target: string;
  readonly value: string | MutationRecord["value"];
  readonly frame: number;
  readonly operator: string;
  readonly before?: number;
  readonly owner?: number;
  readonly object?: number;
}

const LIST = { kind: "list", repr: null, typeName: null, length: 2 };
const DELETED = { kind: "deleted", repr: "<deleted>", typeName: null, length: null };

/** `down(1)` calls `down(0)`; then a cache is changed as `cache` and as `this.store`. */
const WRITES: readonly Written[] = [
  { target: "depth", value: "1", frame: 1, operator: "param" },
  { target: "local", value: "10", frame: 1, operator: "let" },
  { target: "depth", value: "0", frame: 2, operator: "param" },
  { target: "local", value: "0", frame: 2, operator: "let" },
  { target: "local", value: "5", frame: 2, operator: "=", before: 3 },
  { target: "local", value: "11", frame: 1, operator: "+=", before: 1 },
  { target: "cache", value: LIST, frame: 3, operator: "const", object: 7 },
  { target: "cache[17]", value: "3", frame: 3, operator: "set", owner: 7 },
  { target: "this.store[17]", value: DELETED, frame: 4, operator: "delete", before: 7, owner: 7 },
  { target: "order.price", value: "6", frame: 4, operator: "*=", owner: 8 },
];

/** The bytes of the recording. */
export function writesRecording(): Uint8Array {
  return buildRecording({
    objects: [node(0, "list", { items: [] })],
    mutations: WRITES.map(({ target, value, frame }, seq) => {
      const [, name = target, item, attribute] =
        /^(.*?)(?:\[(.*)\]|\.(price))?$/.exec(target) ?? [];
      return {
        seq,
        kind: item === undefined ? (attribute === undefined ? "local" : "attr") : "item",
        name,
        key: item ?? attribute ?? null,
        value:
          typeof value === "string"
            ? { kind: "int", repr: value, typeName: null, length: null }
            : value,
        file: "/srv/app/cart.ts",
        qualname: frame <= 2 ? "down" : "<module>",
        line: seq + 1,
        frame,
      };
    }),
    extensions: {
      "node.mutations": {
        count: WRITES.length,
        droppedBefore: 4,
        dropped: { log: 1, limit: 3, deadline: 0 },
        lostTexts: 0,
        operators: WRITES.map(({ operator }) => operator),
        places: WRITES.flatMap((_, seq) => [seq + 1, 3, seq + 1, 9]),
        operator: column(2, (view, seq) => view.setUint16(seq * 2, seq, true)),
        place: column(4, (view, seq) => view.setUint32(seq * 4, seq, true)),
        before: column(4, (view, seq) => view.setInt32(seq * 4, WRITES[seq]?.before ?? -1, true)),
        owner: column(8, (view, seq) => view.setFloat64(seq * 8, WRITES[seq]?.owner ?? 0, true)),
        object: column(8, (view, seq) => view.setFloat64(seq * 8, WRITES[seq]?.object ?? 0, true)),
        event: column(4, () => undefined),
        objects: [7, 0],
        activations: [
          [1, "down"],
          [2, "down"],
        ],
      },
    },
  });
}

function column(width: number, put: (view: DataView, seq: number) => void): Uint8Array {
  const view = new DataView(new ArrayBuffer(width * WRITES.length));
  for (let seq = 0; seq < WRITES.length; seq++) put(view, seq);
  return new Uint8Array(view.buffer);
}
