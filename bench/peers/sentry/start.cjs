// Starts Sentry as its documentation says, with the variables of frames; what it would send goes to
// a file in BENCH_OUT.
"use strict";
const { writeFileSync } = require("node:fs");
const { join } = require("node:path");
const Sentry = require(join(process.env.BENCH_PEER, "node_modules/@sentry/node"));

let count = 0;
Sentry.init({
  dsn: "http://key@127.0.0.1/1",
  includeLocalVariables: true,
  tracesSampleRate: 0,
  transport: () => ({
    send: async (envelope) => {
      const text = JSON.stringify(envelope);
      if (text.includes('"exception"')) {
        writeFileSync(join(process.env.BENCH_OUT, `sentry-${process.pid}-${count++}.json`), text);
      }
      return { statusCode: 200 };
    },
    flush: async () => true,
  }),
});
