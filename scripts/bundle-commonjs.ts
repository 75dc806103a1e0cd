/**
 * Makes the CommonJS files that run inside recorded programs: start-up, crash, transformer; that of
 * recovery, which has to be quick; and the command line, with a file for each command.
 *
 * A hundred small ES modules cost more to find and link than to run, and a program that is
 * CommonJS would pay for the ES module loader. What only a crash needs is a file of its own. Native
 * packages stay outside.
 */
import { rolldown } from "rolldown";

const RECORDER = "packages/recorder/dist";
const INSTRUMENT = "packages/instrument/dist";

const BUNDLES: readonly { readonly input: string; readonly file: string }[] = [
  { input: `${RECORDER}/register.js`, file: `${RECORDER}/register.cjs` },
  { input: `${RECORDER}/crash/capture-box.js`, file: `${RECORDER}/crash.cjs` },
  { input: `${RECORDER}/recovery/index.js`, file: `${RECORDER}/recovery.cjs` },
  { input: `${INSTRUMENT}/index.js`, file: `${INSTRUMENT}/index.cjs` },
];

for (const { input, file } of BUNDLES) {
  const bundle = await rolldown({
    input,
    platform: "node",
    external: [/^node:/, "@orangebox/instrument", "koffi", "oxc-parser", "oxc-transform"],
    logLevel: "warn",
  });
  await bundle.write({
    file,
    format: "cjs",
    // Shorter to read for the engine; names stay, since they show in profiles.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
}

const commandLine = await rolldown({
  input: "packages/cli/dist/main.js",
  platform: "node",
  // The recorder finds its own files beside itself.
  external: [/^node:/, "commander", "age-encryption", /^@orangebox\/(?:recorder|instrument)/],
  logLevel: "warn",
});
await commandLine.write({
  dir: "packages/cli/dist",
  format: "esm",
  entryFileNames: "flight.js",
  chunkFileNames: "flight-[name].js",
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
});
await commandLine.close();
