import { registerHooks } from "node:module";
const h = registerHooks({ load(url, context, next) { const r = next(url, context); if (!url.endsWith("plain.mjs")) return r; const t = String(r.source); console.log(t.length, t.includes("__ob")); return r; } });
await import("./plain.mjs").catch((e) => console.log(e.message)); h.deregister();
