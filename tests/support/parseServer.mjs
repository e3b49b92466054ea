// The server whose protocol Purse speaks, as its own package has it, on a PostgreSQL database.
import { createRequire } from "node:module";
import { resolve } from "node:path";

const require = createRequire(resolve(import.meta.dirname, "../../bench/package.json"));
const { ParseServer } = require("parse-server");
const express = require("express");

const [port, databaseURI, appId, masterKey] = process.argv.slice(2);

const server = new ParseServer({
  databaseURI,
  appId,
  masterKey,
  serverURL: `http://127.0.0.1:${port}/server`,
  allowClientClassCreation: true,
  liveQuery: { classNames: ["Note"] },
  // Events are counted by nobody, but taken.
  silent: true,
  logsFolder: null,
  logLevel: "error",
  cloud: (Parse) => Parse.Cloud.define("hello", ({ params }) => `Hello, ${params.name}!`),
});
await server.start();
const app = express();
app.use("/server", server.app);
const http = app.listen(Number(port), "127.0.0.1", () => console.log("ready"));
await ParseServer.createLiveQueryServer(http, {
  appId,
  masterKey,
  serverURL: `http://127.0.0.1:${port}/server`,
});

function stop() {
  http.close();
  process.exit(0);
}
process.on("SIGTERM", stop);
process.on("SIGINT", stop);
