// The peer: parse-server on the PostgreSQL that the bench has started, in one process or several.
import cluster from "node:cluster";
import express from "express";
import { ParseServer } from "parse-server";

const [port, databaseURI, processes = "1"] = process.argv.slice(2);

if (cluster.isPrimary && Number(processes) > 1) {
  // One after the other: the first creates the tables.
  for (let count = 0; count < Number(processes); count++) {
    const worker = cluster.fork();
    await new Promise((listening) => worker.once("listening", listening));
  }
  console.log("ready");
  process.on("SIGTERM", () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.kill("SIGTERM");
    process.exit(0);
  });
} else await serve();

async function serve() {
  const server = new ParseServer({
    databaseURI,
    // Processes tell each other of changed classes.
    ...(Number(processes) > 1 && { databaseOptions: { enableSchemaHooks: true } }),
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
}
