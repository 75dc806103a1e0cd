/** Writes small recordings for tests, with the writer that the recorder uses. */
import { RecordingWriter } from "@orangebox/format";
import type {
  EventRecord,
  ExceptionRecord,
  FrameRecord,
  MetaInput,
  MutationRecord,
  ObjectNode,
} from "@orangebox/format";

/** What goes into a recording; whatever is left out has no block. */
export interface RecordingParts {
  readonly meta?: Partial<MetaInput> | false;
  readonly exceptions?: readonly ExceptionRecord[];
  readonly frames?: readonly (Omit<FrameRecord, "locals"> & {
    readonly locals?: Readonly<Record<string, number>>;
  })[];
  /** Objects as `node(…)` makes them. */
  readonly objects?: Iterable<ObjectNode>;
  /** Texts by file name. */
  readonly sources?: Readonly<Record<string, string>>;
  readonly mutations?: readonly MutationRecord[];
  readonly events?: readonly EventRecord[];
  readonly codes?: readonly (readonly [
    number,
    { file: string; qualname: string; firstLine: number },
  ])[];
  /** Data by namespace. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** Data and its namespace, where one namespace has several blocks. */
  readonly extensionList?: readonly (readonly [string, unknown])[];
  /** Leave the footer away. */
  readonly isOpen?: boolean;
}

const CREATED_UNIX_MS = 1_790_000_000_000;

/** Gives the bytes of a recording. */
export function buildRecording(parts: RecordingParts): Uint8Array {
  const chunks: Uint8Array[] = [];
  const writer = new RecordingWriter(
    { write: (bytes) => chunks.push(bytes.slice()) },
    { flightVersion: "0.1.0-orangebox", createdUnixMs: CREATED_UNIX_MS },
  );
  if (parts.meta !== false)
    writer.meta({
      pythonVersion: "node-v24.21.0",
      platform: "linux/x64",
      argv: ["node", "main.ts"],
      cwd: "/srv/app",
      ...parts.meta,
    });
  if (parts.exceptions) writer.exceptions(parts.exceptions);
  if (parts.frames)
    writer.frames(
      parts.frames.map((frame) => ({
        ...frame,
        locals: Object.entries(frame.locals ?? {}).map(([name, id]) => ({ name, id })),
      })),
    );
  if (parts.objects) writer.objects(parts.objects);
  if (parts.mutations) writer.mutations(parts.mutations);
  for (const [filename, text] of Object.entries(parts.sources ?? {}))
    writer.source({ filename, text });
  const extensions = [...Object.entries(parts.extensions ?? {}), ...(parts.extensionList ?? [])];
  for (const [namespace, data] of extensions) writer.extension(namespace, 1, data);
  if (parts.events)
    writer.events({ codes: parts.codes ?? [], events: parts.events, wrapped: false });
  if (parts.isOpen !== true) writer.close();
  return Buffer.concat(chunks);
}

/** Makes an object node; items are `[key, id]`, or bare ids for lists and sets. */
export function node(
  id: number,
  kind: string,
  rest: {
    readonly repr?: string;
    readonly type?: string;
    readonly length?: number;
    readonly truncated?: boolean;
    readonly items?: readonly (number | readonly [string, number])[];
  } = {},
): ObjectNode {
  return {
    id,
    kind,
    repr: rest.repr ?? null,
    typeName: rest.type ?? null,
    length: rest.length ?? null,
    truncated: rest.truncated ?? false,
    items: (rest.items ?? []).map((item) =>
      typeof item === "number" ? { key: null, id: item } : { key: item[0], id: item[1] },
    ),
  };
}
