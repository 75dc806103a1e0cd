// The driver `postgres` (tagged templates) at a real PostgreSQL. Prints all answers.
import postgres from "postgres";

const notices = [];
const options = {
  host: process.env.PGHOST,
  port: Number(process.env.PGPORT),
  user: "orangebox",
  database: "postgres",
  onnotice: ({ message }) => notices.push(message),
};
const sql = postgres({ ...options, max: 6, types: { bigint: postgres.BigInt } });

function say(name, value) {
  console.log(
    name,
    JSON.stringify(value, (key, inner) => (typeof inner === "bigint" ? `${inner}n` : inner)),
  );
}

function failure(error) {
  const {
    name,
    message,
    code,
    severity,
    detail,
    constraint_name,
    table_name,
    position,
    routine,
    stack,
  } = error;
  return {
    name,
    message,
    code,
    severity,
    detail,
    constraint_name,
    table_name,
    position,
    routine,
    stack,
  };
}

await sql`DROP TABLE IF EXISTS item`;
await sql`CREATE TABLE item (id int PRIMARY KEY, name text, tags text[], data jsonb, at timestamptz, big bigint, raw bytea)`;
const rows = Array.from({ length: 300 }, (_, id) => ({
  id,
  name: `item ${id}`,
  tags: [`t${id % 3}`, "ü"],
  data: { id, list: [id] },
  at: new Date(id * 1e6),
  big: BigInt(id) ** 4n,
  raw: Buffer.from([id % 256]),
}));
await sql`INSERT INTO item ${sql(rows)}`;
say("rows", await sql`SELECT * FROM item WHERE id IN ${sql([1, 2, 3, 250])} ORDER BY id`);
say(
  "dynamic",
  await sql`SELECT ${sql(["id", "name"])} FROM ${sql("item")} WHERE ${true ? sql`id < ${3}` : sql`true`} ORDER BY id`,
);
say("values", await sql`SELECT id, name FROM item ORDER BY id DESC LIMIT 2`.values());
say(
  "update",
  await sql`UPDATE item SET ${sql({ name: "new", tags: ["z"] }, "name", "tags")} WHERE id = 7 RETURNING *`,
);

for (const query of [
  () => sql`SELECT * FROM nothing`,
  () => sql`SELEC 1`,
  () => sql`INSERT INTO item (id) VALUES (${1})`,
  () => sql`SELECT ${undefined}`,
  () => sql`SELECT 1 / ${0}::int`,
  () => sql.unsafe("SELECT $1::int", ["abc"]),
]) {
  try {
    say("no error", await query());
  } catch (error) {
    say("error", failure(error));
  }
}

const result = await sql
  .begin(async (inner) => {
    await inner`INSERT INTO item (id, name) VALUES (1000, 'gone')`;
    await inner
      .savepoint(async (point) => point`INSERT INTO item (id) VALUES (1000)`)
      .catch((error) => say("savepoint", failure(error)));
    throw new RangeError("changed my mind");
  })
  .catch((error) => failure(error));
say("transaction", result);
say("count", await sql`SELECT count(*)::int FROM item`);

let sum = 0;
await sql`SELECT n FROM generate_series(1, 1000) n`.cursor(33, (batch) => {
  for (const { n } of batch) sum += n;
});
for await (const [row] of sql`SELECT n FROM generate_series(1, 50) n`.cursor()) sum += row.n;
await sql`SELECT n FROM generate_series(1, 500) n`.forEach(({ n }) => {
  sum += n;
});
say("sum", sum);

const heard = new Promise((resolve) => {
  sql.listen("news", resolve, () => sql.notify("news", "hello"));
});
say("heard", await heard);

const answers = await Promise.all(
  Array.from({ length: 2000 }, (_, i) =>
    (i % 40 === 39
      ? sql`SELECT no_such_column`
      : sql`SELECT ${i}::int + id AS sum, data FROM item WHERE id = ${i % 300}`
    ).then(
      (list) => [...list],
      (error) => failure(error),
    ),
  ),
);
say("answers", answers);
say("notices", notices);
await sql`DROP TABLE item`;
await sql.end();
await sql`SELECT 1`.catch((error) => say("after the end", failure(error)));
