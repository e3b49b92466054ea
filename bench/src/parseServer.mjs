// The peer: parse-server on the PostgreSQL that the bench has started.
import express from "express";
import { ParseServer } from "parse-server";

const [port, databaseURI] = process.argv.slice(2);

const server = new ParseServer({
  databaseURI,
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
const http = app.listen(Number(port), "127.0.0.1", () => console.log("ready"));

function stop() {
  http.close();
  process.exit(0);
}
process.on("SIGTERM", stop);
process.on("SIGINT", stop);
