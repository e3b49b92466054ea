import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { endOf } from "./endOf.ts";
import { freePort } from "./freePort.ts";
import { until } from "./until.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** An S3-compatible server with one bucket. */
export interface S3Server {
  /** `http://127.0.0.1:…` */
  endpoint: string;
  /** Settings of a server that stores its files there. */
  env: Record<string, string>;
  /** The files on the server's disk, including unfinished uploads. */
  objects(): string[];
  /** Kills it; what it stored remains. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  restart(): Promise<void>;
  /** Freezes it: its connections stay open, and nothing is answered. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

export async function startS3Server(): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), "purse-s3-"));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  let server: ChildProcess | undefined;
  async function start(): Promise<void> {
    server = spawn(
      join(ROOT, "node_modules/.bin/node"),
      [
        join(ROOT, "node_modules/s3rver/bin/s3rver.js"),
        ...["-d", directory, "-a", "127.0.0.1", "-p", String(port), "-s", "--no-vhost-buckets"],
        ...["--configure-bucket", "files"],
      ],
      { stdio: "ignore" },
    );
    await until(() => fetch(endpoint).catch(() => undefined), { otherwise: "The S3 server did not answer" });
  }
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!server || endOf(server) !== undefined) return;
    const exited = new Promise((done) => server?.once("exit", done));
    server.kill(signal);
    await exited;
  }
  await start();
  return {
    endpoint,
    env: {
      PURSE_FILES_STORE: `s3://files/app?endpoint=${encodeURIComponent(endpoint)}&forcePathStyle=1`,
      AWS_ACCESS_KEY_ID: "S3RVER",
      AWS_SECRET_ACCESS_KEY: "S3RVER",
    },
    objects: () =>
      readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(directory.length)),
    kill: () => end("SIGKILL"),
    restart: start,
    freeze: () => void server?.kill("SIGSTOP"),
    thaw: () => void server?.kill("SIGCONT"),
    async stop() {
      server?.kill("SIGCONT");
      await end("SIGTERM");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
