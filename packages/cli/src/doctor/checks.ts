/**
 * Asks the recorder what works on this machine, and says what that means for recordings.
 *
 * The looking itself is the recorder's: it knows what it rests on.
 */
import { runtimeFacts } from "@orangebox/recorder";

import { recorderFolders } from "./recorder-folders.ts";

/** What was found about one part. */
export interface Finding {
  readonly name: string;
  /** `degraded`: something is lost; `broken`: nothing can be recorded. */
  readonly status: "works" | "degraded" | "broken";
  readonly found: string;
  /** What is lost, when it does not work. */
  readonly lost: string | undefined;
  readonly hint: string | undefined;
}

/** Parts without which nothing is recorded, and what to do about each part. */
const PARTS: readonly { name: string; isEssential: boolean; hint: string }[] = [
  { name: "node", isEssential: true, hint: "Install Node 22.15 or newer." },
  { name: "module hooks", isEssential: true, hint: "Install Node 22.15 or newer." },
  {
    name: "transformer",
    isEssential: true,
    hint: "Install again on the platform where programs run, optional packages included.",
  },
  {
    name: "mapped ring",
    isEssential: false,
    hint: "Install the optional package koffi, and keep the state folder on a local disk.",
  },
  { name: "zstd", isEssential: false, hint: "Install Node 22.15, 23.8 or newer." },
  { name: "inspector", isEssential: false, hint: "Use a Node that was built with the inspector." },
  {
    name: "output folder",
    isEssential: false,
    hint: "Make it writable, free some space, or set ORANGEBOX_OUT.",
  },
  {
    name: "state folder",
    isEssential: false,
    hint: "Make it writable, free some space, or set ORANGEBOX_STATE_DIR.",
  },
  {
    name: "cache folder",
    isEssential: false,
    hint: "Make it writable, free some space, or set ORANGEBOX_CACHE_DIR.",
  },
];

/** Looks at everything and gives the findings, the most important first. */
export function runChecks(environment: Readonly<Record<string, string | undefined>>): Finding[] {
  return runtimeFacts(recorderFolders(environment)).map(({ name, works, detail, lost }) => {
    const part = PARTS.find((known) => known.name === name);
    return {
      name,
      status: works ? "works" : part?.isEssential === true ? "broken" : "degraded",
      found: detail,
      lost: works ? undefined : lost,
      hint: works ? undefined : part?.hint,
    };
  });
}
