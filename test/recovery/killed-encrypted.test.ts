/** Recordings of killed programs are encrypted where those of their crashes are. */
import { Decrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { openRecording, type Recording, zlibCodec } from "@orangebox/format";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { NODE } from "../cli/flight.ts";
import { ROOT } from "../support/recorded-run.ts";
import { deathOf, filesIn, flight, makePlace, type Place, removePlace } from "./run-killed.ts";

const DIES = "function last() { process.kill(process.pid, 'SIGKILL'); for (;;); }\nlast();\n";

let identity = "";
let recipient = "";
beforeAll(async () => {
  identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
});

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => {
  removePlace(place);
});

function program(text: string): string {
  const path = join(place.folder, "dies.cjs");
  writeFileSync(path, text);
  return path;
}

async function decrypted(name: string): Promise<Recording> {
  expect(name).toMatch(/^flight-killed-\d+-\d+(?:-\d+)?\.flight\.age$/);
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const bytes = await decrypter.decrypt(readFileSync(join(place.boxes, name)));
  return openRecording(bytes, { codec: zlibCodec(zlib) });
}

test("flight run --encrypt-to: also what it recovers itself", async () => {
  const run = await flight(NODE, ["run", "--encrypt-to", recipient, program(DIES)], place);
  expect(run.signal).toBe("SIGKILL");
  const [name = "", ...more] = filesIn(place.boxes);
  expect(more).toEqual([]);
  expect(run.stderr).toContain(`[flight] recorded ${join(place.boxes, name)}`);
  const box = await decrypted(name);
  expect(deathOf(box)).toMatchObject({ how: "signal", signal: "SIGKILL" });
  expect(box.frames()[0]?.qualname).toBe("last");
  expect(filesIn(place.rings)).toEqual([]);
});

test("a key that was set while it ran counts for flight recover", async () => {
  const recorder = join(ROOT, "packages/recorder/dist/index.js");
  const setKey = `require(${JSON.stringify(recorder)}).configure({ encryptTo: ["${recipient}"] });\n`;
  // A child: nobody waits for its ring.
  const register = join(ROOT, "packages/recorder/register.cjs");
  const file = program(setKey + DIES);
  const parent = join(place.folder, "parent.cjs");
  writeFileSync(
    parent,
    `require("node:child_process").spawnSync(process.execPath, ["--require", ${JSON.stringify(register)}, ${JSON.stringify(file)}]);`,
  );
  const { spawnSync } = await import("node:child_process");
  spawnSync(NODE, [parent], { env: place.env, cwd: place.folder });
  const rings = filesIn(place.rings);
  expect(rings.length).toBeGreaterThan(0);
  // The same rings once more, as if the first recovery had died before it removed them.
  const saved = join(place.folder, "saved");
  cpSync(place.rings, saved, { recursive: true });
  const recovered = await flight(NODE, ["recover"], place);
  expect(recovered.code).toBe(0);
  const [name = "", ...more] = filesIn(place.boxes);
  expect(more).toEqual([]);
  expect((await decrypted(name)).frames()[0]?.qualname).toBe("last");
  cpSync(saved, place.rings, { recursive: true });
  const again = await flight(NODE, ["recover"], place);
  expect(again.stdout).toContain(name);
  expect(filesIn(place.boxes)).toEqual([name]);
  expect(filesIn(place.rings)).toEqual([]);
});
