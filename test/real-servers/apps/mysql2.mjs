// The driver `mysql2` talks to a server made of its own protocol code in the same process: both parsers at work.
import mysql from "mysql2";
import mysqlPromise from "mysql2/promise";

const server = mysql.createServer();
let connections = 0;
server.on("connection", (connection) => {
  connections++;
  connection.stream.setNoDelay(true);
  connection.serverHandshake({
    protocolVersion: 10,
    serverVersion: "5.6.10",
    connectionId: connections,
    statusFlags: 2,
    characterSet: 8,
    capabilityFlags: 0xffffff,
  });
  connection.on("error", () => {});
  connection.on("query", (text) => {
    connection.sequenceId = 1;
    if (text.startsWith("FAIL"))
      return connection.writeError({ code: 1064, message: `wrong: ${text}` });
    if (text.startsWith("INSERT")) return connection.writeOk({ affectedRows: 2, insertId: 17 });
    const count = Number(/\d+/.exec(text)?.[0] ?? 3);
    const columns = ["id", "name", "price"].map((name, index) => ({
      catalog: "def",
      schema: "test",
      table: "item",
      orgTable: "item",
      name,
      orgName: name,
      characterSet: 33,
      columnLength: 384,
      columnType: [3, 253, 5][index],
      flags: 0,
      decimals: 0,
    }));
    connection.writeTextResult(
      Array.from({ length: count }, (_, id) => ({
        id,
        name: id % 5 === 4 ? null : `ïtem ${id}`,
        price: id / 4,
      })),
      columns,
    );
  });
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server._server.address();

function say(name, value) {
  console.log(name, JSON.stringify(value));
}

function failure({ name, message, code, errno, sqlState, sqlMessage, stack }) {
  return { name, message, code, errno, sqlState, sqlMessage, stack };
}

const pool = mysqlPromise.createPool({
  host: "127.0.0.1",
  port,
  user: "u",
  password: "p",
  connectionLimit: 5,
});
const [rows, fields] = await pool.query("SELECT 40 items");
say("rows", rows);
say(
  "fields",
  fields.map(({ name, columnType }) => ({ name, columnType })),
);
say(
  "escaped",
  mysql.format("SELECT ?? FROM t WHERE a = ? AND b IN (?)", ["col`umn", "it's", [1, null, "x"]]),
);
say("insert", await pool.query("INSERT INTO item VALUES (?, ?)", [1, new Date(0)]));
await pool.query("FAIL now").catch((error) => say("error", failure(error)));
const answers = await Promise.all(
  Array.from({ length: 2000 }, (_, i) =>
    pool
      .query({
        sql: i % 30 === 29 ? `FAIL ${i}` : `SELECT ${i % 9} rows`,
        rowsAsArray: i % 2 === 0,
      })
      .then(
        ([list]) => list,
        (error) => failure(error),
      ),
  ),
);
say("answers", answers);
const streamed = [];
const single = mysql.createConnection({
  host: "127.0.0.1",
  port,
  user: "u",
  typeCast: (field, next) => (field.name === "price" ? field.string() : next()),
});
for await (const row of single.query("SELECT 500 rows").stream({ highWaterMark: 7 }))
  streamed.push(row);
say("streamed", streamed);
await new Promise((resolve) => single.end(resolve));
await pool.end();
await pool.query("SELECT 1").catch((error) => say("after the end", failure(error)));
server.close(() => say("closed", connections));
