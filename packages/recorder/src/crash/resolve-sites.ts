/**
 * Says what probe ids stand for, in the terms of the original sources, for decoding events.
 *
 * Serves the box of a live crash and the recovery of a ring alike: both have a registry of modules.
 */
import type { FunctionSite } from "@orangebox/instrument/sites";
import type { CodeLocation, ResolvedSite } from "../ring/event-sink.ts";
import type { LoadedModule, ModuleRegistry } from "../runtime/module-registry.ts";
import type { MappedFrames, OriginalSite } from "./original-frames.ts";

/** Gives the function that decoding asks; each id is looked up once. */
export function siteResolver(
  modules: ModuleRegistry,
  siteOf: MappedFrames["siteOf"],
): (id: number) => ResolvedSite | undefined {
  const codes = new Map<string, CodeLocation>();
  const sites = new Map<number, ResolvedSite | undefined>();
  return (id) => {
    if (!sites.has(id)) sites.set(id, resolveSite(modules.findById(id), id, { codes, siteOf }));
    return sites.get(id);
  };
}

function resolveSite(
  module: LoadedModule | undefined,
  id: number,
  { codes, siteOf }: { codes: Map<string, CodeLocation>; siteOf: MappedFrames["siteOf"] },
): ResolvedSite | undefined {
  if (module === undefined) return undefined;
  const site = module.site(id);
  const original = siteOf(module, id);
  const key = `${module.base}:${site.function}:${original?.file ?? ""}`;
  let code = codes.get(key);
  if (code === undefined) {
    code = codeLocation(module, module.owner(id), original);
    codes.set(key, code);
  }
  const { line, column } = original ?? site;
  return { kind: site.kind, line, column, code };
}

function codeLocation(
  module: LoadedModule,
  owner: FunctionSite,
  original: OriginalSite | undefined,
): CodeLocation {
  const { qualname, firstLine } = original?.owner ?? owner;
  return {
    file: original?.file ?? module.filename,
    qualname,
    firstLine,
    async: owner.async,
    generator: owner.generator,
  };
}
