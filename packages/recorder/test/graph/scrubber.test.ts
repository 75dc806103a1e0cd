/** What the scrubber hides, what it lets pass, and how long hostile texts take. */
import { expect, test } from "vitest";
import { serializeGraph } from "../../src/graph/serialize-graph.ts";
import { createScrubber } from "../../src/scrub/scrubber.ts";

test.each([
  "author",
  "session_count",
  "tokens",
  "max_tokens",
  "tokenCount",
  "monkey",
  "compass",
  "PWD",
  "pin",
  "passenger",
  "isAuthorized",
  "keyboard",
  "secretary",
])("lets the name %s pass", (name) => expect(createScrubber().isSensitiveName(name)).toBe(false));

test.each([
  "x-api-key",
  "apiKey",
  "API-KEY",
  "APIKey",
  "db_password",
  "Authorization",
  "password2",
  "sessionId",
  "accessToken",
  "X-Auth-Token",
  "clientsecret",
  "Set-Cookie",
  "card_number",
  "cardNumber",
  "cvv",
  "ssn",
  "privateKeyPem",
  "passwd",
  "credentials",
  "#password",
])("hides values under the name %s", (name) =>
  expect(createScrubber().isSensitiveName(name)).toBe(true),
);

test("follows patterns, predicates and the allow list", () => {
  const scrubber = createScrubber({
    patterns: ["badge no", /^internal_/g],
    allow: ["session"],
    isSensitive: (name) => {
      if (name === "broken") throw new Error("broken rule");
      return name === "custom";
    },
  });
  const names = [
    "badgeNo",
    "BADGE_NO_2",
    "internal_x",
    "internal_y",
    "custom",
    "broken",
    "session",
    "other",
  ];
  expect(names.map((name) => scrubber.isSensitiveName(name))).toEqual([
    true,
    true,
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});

const R = "<redacted>";
test.each([
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF_123", R],
  ["got Bearer abc.def-123 here", `got Bearer ${R} here`],
  ["Basic dXNlcjpwYXNz", `Basic ${R}`],
  ["basic understanding of bearer authentication", "basic understanding of bearer authentication"],
  [
    "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
    `-----BEGIN RSA PRIVATE KEY-----${R}-----END RSA PRIVATE KEY-----`,
  ],
  ["paid with 4111 1111 1111 1111.", `paid with ${R}.`],
  ["paid with 5500-0000-0000-0004", `paid with ${R}`],
  ["378282246310005", R],
  ["at 1700000000000 for 4111111111111112", "at 1700000000000 for 4111111111111112"],
  ["postgres://bob:hunter2@db.example:5432/x", `postgres://bob:${R}@db.example:5432/x`],
  ["mongodb+srv://u:p@ss@h/x", `mongodb+srv://u:${R}@h/x`],
  [
    "https://x.example/?api_key=abc&page=2&token=zz",
    `https://x.example/?api_key=${R}&page=2&token=${R}`,
  ],
  ["https://x.example/a:b@c", "https://x.example/a:b@c"],
  ["AKIAIOSFODNN7EXAMPLE", R],
  ["ghp_abcdefghijklmnopqrstuvwxyz0123456789", R],
  ["xoxb-123456789012-abcdef", R],
  ["sk_live_abcdefghijklmnop", R],
  ["npm_abcdefghijklmnopqrstuvwxyz0123456789", R],
  ["AIzaSyA1234567890abcdefghijklmnopqrstuv", R],
  ["sk-ant-api03-abcdefghijk1234567890", R],
  ["a task-oriented-approach-to-everything", "a task-oriented-approach-to-everything"],
  ["password=hunter2, user: bob", `password=${R}, user: bob`],
  ['{"password":"x y","a":1}', `{"password":"${R}","a":1}`],
  [String.raw`{\"password\":\"xy\"}`, String.raw`{\"password\":\"<redacted>\"}`],
  ["Cookie: a=b; c=d\r\nHost: x", `Cookie: ${R}\r\nHost: x`],
  ["Server=x;Password=foo;Db=1", `Server=x;Password=${R};Db=1`],
  ["Unexpected token: }", "Unexpected token: }"],
  ["password: undefined", "password: undefined"],
])("turns %j into %j", (text, clean) => {
  expect(createScrubber().text(text, "test")).toBe(clean);
});

test("hides only quoted values in program text", () => {
  const text = "const password = 'abc'; let token: string = getToken(); // secret: see below";
  expect(createScrubber().text(text, "source a.ts")).toBe(text.replace("abc", R));
});

test("reports places, names and detectors but no value", () => {
  const scrubber = createScrubber();
  scrubber.text("password=hunter2 hunter2", "message");
  scrubber.remember("hunter2");
  scrubber.note("local", "hunter2");
  scrubber.note("local", "apiKey");
  scrubber.note("local", "apiKey");
  expect(scrubber.report()).toContainEqual({ where: "local", name: "apiKey", count: 2 });
  expect(scrubber.report()).toContainEqual({ where: "message", detector: "key-value", count: 1 });
  expect(JSON.stringify(scrubber.report())).not.toContain("hunter2");
});

const MEGABYTE = 1 << 20;
test.each([
  "eyJ",
  "eyJa.",
  "sk-",
  "sk-a",
  "AKIA",
  "ya29.",
  "4 ",
  "411111111111111 ",
  "4111-",
  "://",
  "://a:",
  "://a:b/",
  "-----BEGIN ",
  "-----BEGIN PRIVATE KEY",
  "bearer ",
  "Basic YTpi",
  "password:",
  "password = ",
  '"password":"\\',
  "cookie:",
  ":",
  "=",
  "a: ",
  " ",
  "ghp_",
  "#token:'",
])("is linear on a megabyte of %j", (unit) => {
  const size = MEGABYTE / 8;
  const scrubber = createScrubber();
  const time = (text: string): number => {
    const started = process.cpuUsage().user;
    scrubber.text(text, "test");
    return (process.cpuUsage().user - started) / 1000;
  };
  time(unit.repeat(size / unit.length));
  const small = time(unit.repeat(size / unit.length));
  const large = time(unit.repeat(MEGABYTE / unit.length));
  // Eight times the text; a quadratic scan would take 64 times as long.
  expect(large).toBeLessThan(30 * small + 400);
});

function written(locals: Record<string, unknown>): string {
  const list = Object.entries(locals).map(([name, value]) => ({ name, value }));
  const { nodes, objectNotes, budget, notes, redactions, mapKeys } = serializeGraph([
    { locals: list },
  ]);
  return JSON.stringify({ nodes, objectNotes, budget, notes, redactions, mapKeys });
}

const SECRET = "hunter2'\\é-secret";
class Named {
  password = SECRET;
}
test.each([
  ["a message", { password: SECRET, e: new Error(`wrong: ${SECRET}!`) }],
  ["a text before it", { a: SECRET, password: SECRET }],
  ["a text after it", { password: SECRET, a: `--${SECRET}--` }],
  ["a key", { o: { [SECRET]: 1 }, password: SECRET }],
  ["a Map key", { m: new Map([[SECRET, 1]]), password: SECRET }],
  ["a symbol", { s: Symbol(SECRET), password: SECRET }],
  ["a symbol key", { s: { [Symbol(SECRET)]: 1 }, password: SECRET }],
  ["bytes as utf8", { b: Buffer.from(`x${SECRET}`), password: SECRET }],
  ["bytes as latin1", { b: Buffer.from(`x${SECRET}`, "latin1"), password: SECRET }],
  ["a function name", { f: { [SECRET]: () => 1 }[SECRET], password: SECRET }],
  [
    "a class name",
    {
      f: Reflect.construct(Object.values({ [SECRET]: class {} })[0] ?? Object, []),
      password: SECRET,
    },
  ],
  ["a regular expression", { r: new RegExp("hunter2-secret"), password: "hunter2-secret" }],
  ["a pair", { p: ["password", SECRET], a: SECRET }],
  [
    "pairs",
    {
      p: [
        ["user", "bob"],
        ["password", SECRET],
      ],
    },
  ],
  ["raw headers", { h: ["Host", "x", "Authorization", SECRET] }],
  ["a Map", { h: new Map([["x-api-key", SECRET]]) }],
  ["a named value", { h: [{ name: "Cookie", value: SECRET }] }],
  ["an instance", { i: new Named(), a: SECRET }],
  ["a list under a name", { secrets: [SECRET], a: SECRET }],
  ["a registered symbol", { s: Symbol.for(SECRET), password: SECRET }],
  ["a cut text", { password: SECRET, a: `${"x".repeat(10_230)}${SECRET}` }],
  ["a boxed text", { password: SECRET, a: new String(SECRET) }],
  ["a promise", { password: SECRET, a: Promise.resolve(SECRET) }],
])("hides a secret value in %s", (_where, locals) => {
  const text = written(locals);
  expect(text).not.toContain("hunter2");
  expect(text).toContain(R);
});

test("never shares the node of hidden values", () => {
  const result = serializeGraph([
    {
      locals: [
        { name: "password", value: "x" },
        { name: "token", value: "x" },
      ],
    },
  ]);
  const ids = result.frames[0]?.map((local) => local.id) ?? [];
  expect(new Set(ids).size).toBe(2);
  expect(ids.map((id) => result.nodes[id]?.kind)).toEqual(["redacted", "redacted"]);
});

test("hides many remembered values at once", () => {
  const scrubber = createScrubber();
  for (let at = 0; at < 1000; at++) scrubber.remember(`secret-value-${at}!`);
  expect(scrubber.text("a secret-value-77! b secret-value-999! c secret-value-x", "test")).toBe(
    `a ${R} b ${R} c secret-value-x`,
  );
});
