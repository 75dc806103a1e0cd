/**
 * Makes the scrubber of a configuration, and hides secrets in command lines with it.
 */
import type { Config } from "../config/resolve-config.ts";
import { createScrubber, type Scrubber } from "./scrubber.ts";

/** The scrubber that a configuration asks for; one that hides nothing when it is switched off. */
export function scrubberOf({ scrub }: Pick<Config, "scrub">): Scrubber {
  const scrubber = createScrubber({
    patterns: [...scrub.names, ...scrub.patterns.map((source) => new RegExp(source, "i"))],
    allow: scrub.allow,
  });
  return scrub.enabled ? scrubber : unscrubbed(scrubber);
}

/** `--password x` and `--token=x` hide what follows; detectors see every argument. */
export function scrubArguments(argv: readonly string[], scrubber: Scrubber): string[] {
  let hideNext = false;
  return argv.map((argument, index) => {
    const where = `argv[${index}]`;
    if (hideNext && !argument.startsWith("-")) {
      hideNext = false;
      scrubber.note(where, "argument");
      return "<redacted>";
    }
    const [, name = "", value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(argument) ?? [];
    hideNext = false;
    if (name !== "" && scrubber.isSensitiveName(name)) {
      if (value === undefined) hideNext = true;
      else {
        scrubber.note(where, name);
        return `${argument.slice(0, argument.length - value.length)}<redacted>`;
      }
    }
    return scrubber.text(argument, where);
  });
}

function unscrubbed(scrubber: Scrubber): Scrubber {
  return {
    ...scrubber,
    isSensitiveName: () => false,
    remember: () => undefined,
    text: (text) => text,
    note: () => undefined,
    report: () => [],
  };
}
