// An inspector session in the process itself, pausing on uncaught errors; at a pause it reads the
// variables of every frame, one level deep, and writes them to a file in BENCH_OUT.
"use strict";
const { writeFileSync } = require("node:fs");
const { Session } = require("node:inspector");
const { join } = require("node:path");

const session = new Session();
session.connect();
session.post("Debugger.enable");
session.post("Debugger.setPauseOnExceptions", { state: "uncaught" });
session.on("Debugger.paused", ({ params }) => {
  const frames = params.callFrames.map(({ functionName, location, scopeChain }) => {
    const scopes = [];
    for (const { type, object } of scopeChain) {
      if (type === "global") continue;
      session.post(
        "Runtime.getProperties",
        { objectId: object.objectId, ownProperties: true },
        (_, found) => scopes.push({ type, variables: found?.result }),
      );
    }
    return { functionName, location, scopes };
  });
  const file = join(process.env.BENCH_OUT, `inspector-${process.pid}.json`);
  writeFileSync(file, JSON.stringify({ data: params.data, frames }));
});
