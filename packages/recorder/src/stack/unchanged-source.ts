/** Reads the text that was loaded, as long as the file still holds it. */
import { readFileSync } from "node:fs";
import { bytesHash, textHash } from "../loader/text-hash.ts";

/** Reads a file if its text is still the one with this hash. */
export function readUnchangedSource(filename: string, contentHash: string): string | undefined {
  try {
    const bytes = readFileSync(filename);
    if (bytesHash(bytes) === contentHash) return bytes.toString("utf8");
    // Not UTF-8: the text that was loaded had its bad bytes replaced.
    const text = bytes.toString("utf8");
    return textHash(text) === contentHash ? text : undefined;
  } catch {
    return undefined;
  }
}
