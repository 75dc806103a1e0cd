/** The version of this package, as its manifest says. */
import { readFileSync } from "node:fs";

/** Version of the `flight` command. */
export const VERSION: string = readVersion();

function readVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const manifest: unknown = JSON.parse(text);
  return typeof manifest === "object" &&
    manifest !== null &&
    "version" in manifest &&
    typeof manifest.version === "string"
    ? manifest.version
    : "unknown";
}
