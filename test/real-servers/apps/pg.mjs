// The driver `pg` at a real PostgreSQL: types, prepared statements, errors, transactions, cursors, streams,
// notifications, a pool under load. Prints all of it.
import { once } from "node:events";
import pg from "pg";
import Cursor from "pg-cursor";
import QueryStream from "pg-query-stream";

const connection = {
  host: process.env.PGHOST,
  port: Number(process.env.PGPORT),
  user: "orangebox",
  database: "postgres",
};

function say(name, value) {
  console.log(
    name,
    JSON.stringify(value, (key, inner) => (typeof inner === "bigint" ? `${inner}n` : inner)),
  );
}

function failure(error) {
  const { name, message, code, severity, detail, constraint, table, column, position, routine } =
    error;
  // Which of the workers gets which query is chance.
  const stack = error.stack.replaceAll(/Promise\.all \(index \d+\)/g, "Promise.all");
  return {
    name,
    message,
    code,
    severity,
    detail,
    constraint,
    table,
    column,
    position,
    routine,
    stack,
  };
}

const pool = new pg.Pool({ ...connection, max: 8 });
await pool.query("DROP TABLE IF EXISTS line, orders");
await pool.query(`CREATE TABLE orders (id serial PRIMARY KEY, customer text NOT NULL, total numeric(10, 2) CHECK (total >= 0),
  placed timestamptz, tags text[], data jsonb, raw bytea, big bigint, real8 double precision, flag boolean)`);
await pool.query(
  "CREATE TABLE line (order_id int REFERENCES orders, product text, UNIQUE (order_id, product))",
);

for (let i = 0; i < 200; i++) {
  await pool.query({
    name: "insert-order",
    text: "INSERT INTO orders (customer, total, placed, tags, data, raw, big, real8, flag) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    values: [
      `c${i % 7}`,
      i * 1.25,
      new Date(86400000 * i),
      ["a", `"${i}"`, null],
      { i, deep: [i, { x: "é😀" }] },
      Buffer.from([i, 0, 255]),
      BigInt(i) ** 3n,
      i / 3,
      i % 2 === 0,
    ],
  });
}
const all = await pool.query("SELECT * FROM orders ORDER BY id");
say(
  "fields",
  all.fields.map(({ name, dataTypeID, format }) => ({ name, dataTypeID, format })),
);
say("rows", all.rows);
say(
  "array mode",
  (await pool.query({ text: "SELECT id, tags FROM orders ORDER BY id LIMIT 3", rowMode: "array" }))
    .rows,
);

const wrong = [
  ["SELECT * FROM nothing"],
  ["SELEC 1"],
  ["INSERT INTO orders (customer, total) VALUES ($1, $2)", ["x", -1]],
  ["INSERT INTO orders (customer) VALUES ($1)", [null]],
  ["INSERT INTO line VALUES (99999, 'x')"],
  ["SELECT $1::int", ["abc"]],
  ["SELECT 1 / 0"],
];
for (const [text, values] of wrong) {
  await pool.query(text, values).then(
    () => say("no error", text),
    (error) => say("error", failure(error)),
  );
}

const client = await pool.connect();
try {
  await client.query("BEGIN");
  await client.query("INSERT INTO orders (customer, total) VALUES ('gone', 1)");
  await client.query("INSERT INTO line VALUES (1, 'a'), (1, 'a')");
} catch (error) {
  say("rolled back", failure(error));
  await client.query("ROLLBACK");
} finally {
  client.release();
}
say("count", (await pool.query("SELECT count(*) FROM orders")).rows);

const reader = await pool.connect();
const cursor = reader.query(new Cursor("SELECT id, customer FROM orders ORDER BY id"));
let seen = 0;
for (let rows = await cursor.read(64); rows.length > 0; rows = await cursor.read(64))
  seen += rows.length;
await cursor.close();
const streamed = [];
for await (const row of reader.query(
  new QueryStream("SELECT n, n * n AS square FROM generate_series(1, $1) n", [1000], {
    batchSize: 17,
  }),
))
  streamed.push(row.square);
say("streamed", { seen, streamed });
reader.release();

const listener = new pg.Client(connection);
await listener.connect();
await listener.query("LISTEN news");
const notification = once(listener, "notification");
await pool.query("SELECT pg_notify('news', 'hello')");
const [{ channel, payload }] = await notification;
say("notification", { channel, payload });
const notice = once(listener, "notice");
await listener.query("DO $$ BEGIN RAISE NOTICE 'careful %', 42; END $$");
say("notice", (await notice)[0].message);
await listener.end();

// 3,000 queries from 100 at a time over 8 connections, some of them wrong, some slow.
const answers = new Array(3000);
let next = 0;
async function work() {
  while (next < answers.length) {
    const i = next++;
    const text =
      i % 50 === 49
        ? "SELECT no_such_column"
        : i % 20 === 19
          ? "SELECT pg_sleep(0.002), $1::int AS i"
          : "SELECT $1::int + id AS sum, customer, data FROM orders WHERE id = $1::int % 200 + 1";
    answers[i] = await pool.query(text, i % 50 === 49 ? [] : [i]).then(
      ({ rows }) => rows,
      (error) => failure(error),
    );
  }
}
await Promise.all(Array.from({ length: 100 }, work));
say("answers", answers);
say("pool", { total: pool.totalCount <= 8, waiting: pool.waitingCount });

const tired = new pg.Client({ ...connection, statement_timeout: 20 });
await tired.connect();
await tired.query("SELECT pg_sleep(5)").catch((error) => say("timeout", failure(error)));
await tired.end();
await tired.query("SELECT 1").catch((error) => say("after the end", failure(error)));
await new pg.Client({ ...connection, database: "missing" })
  .connect()
  .catch((error) => say("no database", failure(error)));
await pool.end();
