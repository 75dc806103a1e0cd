/**
 * Finds the original text of a function from its generated text.
 *
 * `Function.prototype.toString` gives generated text; the marker that stands in it names the site,
 * and the site knows where the original stands.
 */

import type { SiteTable } from "./instrumented.ts";
import { siteAt } from "./site-table.ts";

const MARKER = /\/\*__ob:0x([0-9a-f]{8})\*\//g;

/** All ids that markers in a text name, in order. Absolute: subtract the base of the module. */
export function findMarkers(text: string): number[] {
  return Array.from(text.matchAll(MARKER), (match) => Number.parseInt(match[1] ?? "0", 16));
}

/**
 * Returns the original offsets of a function or class from its generated text.
 *
 * A nested function in a parameter has a marker before that of its owner, so the marker whose
 * site is as long as the text is the right one.
 *
 * @param base What was given to `rebase` for the text that the function is from.
 * @returns `[start, end]` in UTF-16 units, or `undefined` if the text is not from this table.
 */
export function originalText(
  sites: SiteTable,
  functionText: string,
  base = 0,
): [start: number, end: number] | undefined {
  for (const marker of findMarkers(functionText)) {
    const id = marker - base;
    if (id < 1 || id > sites.kinds.length) continue;
    const site = siteAt(sites, id);
    if ("generatedLength" in site && site.generatedLength === functionText.length) {
      return [site.start, site.end];
    }
  }
  return undefined;
}
