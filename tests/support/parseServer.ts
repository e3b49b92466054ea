import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { inject } from "vitest";
import { freePort } from "./freePort.ts";
import { newDatabase } from "./postgresServer.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** A really started parse-server, on a PostgreSQL database of its own. */
export interface ForeignServer {
  serverUrl: string;
  appId: string;
  masterKey: string;
  remove(): Promise<void>;
}

export async function startParseServer(): Promise<ForeignServer> {
  const port = await freePort();
  const databaseUrl = await newDatabase(inject("postgresUrl"));
  const appId = "test-app";
  const masterKey = "test-master-key";
  const child = spawn(
    join(ROOT, "node_modules/.bin/node"),
    [join(import.meta.dirname, "parseServer.mjs"), String(port), databaseUrl, appId, masterKey],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  await new Promise<void>((ready, fail) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk;
        if (output.includes("ready")) ready();
      });
    }
    child.once("exit", (code) => fail(new Error(`parse-server ended with ${code}:\n${output}`)));
  });
  return {
    serverUrl: `http://127.0.0.1:${port}/server`,
    appId,
    masterKey,
    async remove() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
