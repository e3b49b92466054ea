import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { endOf } from "./endOf.ts";
import { freePort } from "./freePort.ts";
import type { PurseProcess } from "./purse.ts";
import { until } from "./until.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** A long timeout for busy machines. */
const START_MS = 600_000;

/** Starts a process with only objects, batches and idempotent requests, which starts faster. */
export async function startSmallServer(
  dataDir: string,
  databaseUrl: string | undefined,
): Promise<PurseProcess> {
  const port = await freePort();
  const args = [String(port), dataDir, ...(databaseUrl === undefined ? [] : [databaseUrl])];
  const script = join(ROOT, "packages/server/test/smallServer.ts");
  const child = spawn(join(ROOT, "node_modules/.bin/node"), [script, ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  const exited = new Promise<number | null>((done) => child.once("exit", done));
  const isReady = () => {
    const ended = endOf(child);
    if (ended !== undefined) throw new Error(`The server did not start: ${ended}\n${output}`);
    return output.includes("ready");
  };
  await until(isReady, { withinMs: START_MS, otherwise: () => `The server did not start:\n${output}\n` });
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return exited;
  };
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    serverUrl: `${url}/server`,
    appId: "test-app",
    masterKey: "test-master-key",
    dataDir,
    port,
    rpcUrl: "",
    pid: child.pid ?? 0,
    output: () => output,
    stop: () => end("SIGKILL"),
    terminate: () => end("SIGKILL"),
    kill: async () => {
      await end("SIGKILL");
    },
    remove: async () => {
      await end("SIGKILL");
    },
  };
}
