/** Makes a folder that is removed when the test ends. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRecording, type Recording } from "@orangebox/format";
import { onTestFinished } from "vitest";
import { nodeCodec } from "../../src/box/node-codec.ts";

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "orangebox-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens a box with the codec of Node. */
export function openBox(path: string): Recording {
  return openRecording(readFileSync(path), { codec: nodeCodec() });
}
