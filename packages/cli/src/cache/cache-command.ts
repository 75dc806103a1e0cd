/** The command `flight cache`: shows what is kept of transformed modules, or deletes it. */
import { visibleText } from "@orangebox/analysis";
import { cacheReport, clearCache } from "@orangebox/recorder";
import type { CacheReport, CacheSources } from "@orangebox/recorder";

import type { Screen } from "../terminal/screen.ts";

const NAME_COLUMNS = 36;
const COUNT_COLUMNS = 8;

/** Shows or clears the cache of transformed modules; always succeeds. */
export function cache(
  action: string,
  { json, sources, screen }: { json: boolean; sources: CacheSources; screen: Screen },
): void {
  if (action === "clear") {
    const cleared = clearCache(sources);
    if (json) screen.line(JSON.stringify({ version: 1, cleared }));
    else {
      const { folder, entries, bytes } = cleared;
      screen.line(`deleted ${modules(entries)} (${sizeText(bytes)}) from ${visibleText(folder)}`);
    }
    return;
  }
  const report = cacheReport(sources);
  if (json) screen.line(JSON.stringify({ version: 1, ...report }));
  else for (const line of lines(report, screen)) screen.line(line);
}

function lines(
  { folder, entries, bytes, limitBytes, versions }: CacheReport,
  screen: Screen,
): string[] {
  const part = Math.round((bytes / limitBytes) * 100);
  return [
    visibleText(folder),
    `${modules(entries)}, ${sizeText(bytes)} of ${sizeText(limitBytes)} (${part} %)`,
    ...versions.map(({ name, isCurrent, ...version }) => {
      const count = String(version.entries).padStart(COUNT_COLUMNS);
      const mark = isCurrent ? "" : screen.style.dim("  another version's");
      return `  ${visibleText(name).padEnd(NAME_COLUMNS)}${count}  ${sizeText(version.bytes)}${mark}`;
    }),
  ];
}

function modules(count: number): string {
  return count === 1 ? "1 module" : `${count} modules`;
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 2 ** 20
    ? `${(bytes / 1024).toFixed(1)} KiB`
    : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
