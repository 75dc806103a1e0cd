function inner(kind) { const answer = 42; if (process.argv.length > 1) throw new Error("kid " + kind); return answer; }
console.log("kid", process.argv[2], JSON.stringify([process.execArgv, process.env.NODE_OPTIONS, Object.keys(process.env).filter((k) => /ORANGE/.test(k))]));
inner(process.argv[2]);
