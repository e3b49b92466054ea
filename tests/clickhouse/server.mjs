// Serves the part of ClickHouse's HTTP interface that @clickhouse/client uses from chdb, which is ClickHouse as a
// library: `node server.mjs FOLDER`. Prints its URL. Ends when its input ends.
import { createServer } from "node:http";
import { Session } from "chdb";

const session = new Session(process.argv[2]);
session.query("CREATE DATABASE IF NOT EXISTS indexes ENGINE = Atomic");
session.query("USE indexes");
session.query(
  "SET union_default_mode = 'DISTINCT', join_use_nulls = 1, lightweight_deletes_sync = 2, parallel_view_processing = 1",
);

const INSERT = /^\s*INSERT INTO (\S+)\s*\(([^)]*)\)\s*FORMAT TabSeparated/;
const FORMAT = /\s+FORMAT (\w+)\s*$/;

async function execute(url, body) {
  const statement = url.searchParams.get("query") ?? body.toString("utf8");
  const [, table, columns] = INSERT.exec(statement) ?? [];
  if (table !== undefined) {
    const names = columns.split(",").map((name) => name.trim().replaceAll(/[`"]/g, ""));
    await session.insert({ table, columns: names, format: "TabSeparated", values: body });
    return Buffer.alloc(0);
  }
  const [, format = "TabSeparated"] = FORMAT.exec(statement) ?? [];
  const text = statement.replace(FORMAT, "");
  const parameters = {};
  for (const [name, value] of url.searchParams)
    if (name.startsWith("param_")) parameters[name.slice("param_".length)] = value;
  const result = await session.queryBindAsync(text, parameters, { format });
  return Buffer.from(result.bytes());
}

// Parameters are in the URL. ClickHouse accepts one of this length by default.
const server = createServer({ maxHeaderSize: 1024 * 1024 }, async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const url = new URL(request.url, "http://localhost");
    response.end(url.pathname === "/ping" ? "Ok.\n" : await execute(url, Buffer.concat(chunks)));
  } catch (error) {
    const text = String(error.message ?? error);
    response.writeHead(500, { "X-ClickHouse-Exception-Code": error.clickhouseCode ?? 0 });
    response.end(
      text.startsWith("Code:")
        ? text
        : `Code: ${error.clickhouseCode ?? 0}. DB::Exception: ${text} (UNKNOWN)`,
    );
  }
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume();
process.stdin.on("end", () => process.exit());
