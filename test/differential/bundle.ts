/**
 * Makes one file of the process that runs generated programs, so that every Node can run it.
 */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const OWN_MODULES = fileURLToPath(new URL("own-modules.ts", import.meta.url));
const MEMO = `${ROOT}packages/instrument/test/support/memo-parser.ts`;

/** Writes the bundle of `entry` (a file of this folder) and returns its path. */
export async function bundleProcess(entry: string): Promise<string> {
  const fromInstrument = createRequire(`${ROOT}packages/instrument/package.json`);
  const bundle = await rolldown({
    input: fileURLToPath(new URL(entry, import.meta.url)),
    platform: "node",
    resolve: { conditionNames: ["@orangebox/source", "import", "node"] },
    logLevel: "silent",
    plugins: [
      {
        name: "one parser for all levels, one file for all packages",
        resolveId(id, importer) {
          if (id.endsWith("/own-require.ts")) return OWN_MODULES;
          if (id === "oxc-parser" && importer !== MEMO) return MEMO;
          if (id === "oxc-parser" || id === "oxc-transform") {
            return { id: fromInstrument.resolve(id), external: true };
          }
          return undefined;
        },
      },
    ],
  });
  const file = `${ROOT}.cache/differential/${entry.replace(/\.ts$/, "")}-${process.pid}.mjs`;
  await bundle.write({ file, format: "esm", codeSplitting: false });
  await bundle.close();
  return file;
}
