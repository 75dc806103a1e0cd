/**
 * Computes fingerprint scheme 1 of a crash: equal for equal bugs, whatever the machine.
 *
 * Made of the types of the error chain, every frame's function with its line counted from the
 * function's first line, and the kinds of the crash frame's locals. Other recorders of version 1
 * compute the same text; it must not change by a byte.
 */
import { blake2b } from "@orangebox/format";
import type { Recording } from "@orangebox/format";

const DIGEST_SIZE_BYTES = 8;

/** Gives the 16 hex digits of the fingerprint; of a file without crash, those of nothing. */
export function fingerprint(recording: Recording): string {
  const text = fingerprintText(recording);
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  return Array.from(blake2b(bytes, DIGEST_SIZE_BYTES), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** Gives the canonical JSON that the fingerprint is a digest of: keys sorted, only ASCII. */
export function fingerprintText(recording: Recording): string {
  const frames = recording.frames();
  const signature = {
    exceptions: recording.exceptions().map((exception) => exception.type),
    frames: frames.map((frame) => [
      frame.qualname,
      basename(frame.file),
      Math.max(0, frame.line - frame.firstLine),
    ]),
    state_kinds: stateKinds(recording),
  };
  return JSON.stringify(signature).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function stateKinds(recording: Recording): string[] {
  const [crash] = recording.frames();
  if (crash === undefined) return [];
  const objects = recording.objects();
  return crash.locals
    .filter(({ name }) => !(name.startsWith("__") && name.endsWith("__")))
    .flatMap(({ id }) => objects.get(id)?.kind ?? [])
    .toSorted(compareByCodePoint);
}

/** JavaScript compares UTF-16 units, other recorders code points. */
function compareByCodePoint(left: string, right: string): number {
  const a = Array.from(left, (character) => character.codePointAt(0) ?? 0);
  const b = Array.from(right, (character) => character.codePointAt(0) ?? 0);
  const at = a.findIndex((code, index) => code !== b[index]);
  return at === -1 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

/** Windows paths are split as well; a slash counts everywhere. */
function basename(file: string): string {
  const isWindows = /^(?:[a-z]:)?\\/iu.test(file) || /^[a-z]:/iu.test(file);
  const end = isWindows
    ? Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\"))
    : file.lastIndexOf("/");
  return file.slice(end + 1);
}
