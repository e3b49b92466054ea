import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { serverFile } from "../../scripts/build.mjs";
import { lowMemory } from "../../scripts/install.mjs";
import { ALL_CASES, NIGHTLY } from "../support/allCases.ts";
import { freePort } from "../support/freePort.ts";
import { restoreChainSnapshot } from "../support/purse.ts";
import { until } from "../support/until.ts";

const ROOT = resolve(import.meta.dirname, "../..");

let folder: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "purse-start-"));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  }
  await rm(folder, { recursive: true, force: true });
});

/** Runs the program like `npm start`, with a folder of the test, until the test ends. */
function purse(args: string[], env: Record<string, string> = {}) {
  const program = launch(args, { PURSE_DATA_DIR: join(folder, "data"), ...env });
  children.push(program.child);
  return program;
}

function launch(args: string[], env: Record<string, string>) {
  const { NODE_ENV: _, ...inherited } = process.env;
  const child = spawn(join(ROOT, "node_modules/.bin/node"), [...lowMemory.flags, serverFile, ...args], {
    cwd: ROOT,
    env: {
      ...inherited,
      ...lowMemory.env,
      PURSE_DEV_CHAIN: "0",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk));
  const ended = new Promise<number | null>((done) => child.once("exit", done));
  return {
    child,
    ended,
    pid: child.pid,
    output: () => text,
    says: (part: string) =>
      until(() => text.includes(part), { withinMs: 60_000, otherwise: () => `No ${part} in:\n${text}` }),
    stop: (signal: NodeJS.Signals) => {
      child.kill(signal);
      return ended;
    },
  };
}

describe("npm start", () => {
  /** The data and the port of one server, which its tests stop and start again. */
  let home: string;
  let port: string;
  let running: ReturnType<typeof purse>;
  const keys = async () => JSON.parse(await readFile(join(home, "data", "keys.json"), "utf8"));
  const start = async () => {
    const server = launch(["--port", port], { PURSE_DATA_DIR: join(home, "data") });
    await server.says("Ctrl-C ends it");
    return server;
  };
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "purse-start-"));
    port = String(await freePort());
    running = await start();
  });
  afterAll(async () => {
    await running?.stop("SIGKILL");
    await rm(home, { recursive: true, force: true });
  });

  it("prints the URL and the path of the keys file, but not the master key", async () => {
    expect(running.output()).toContain(`http://127.0.0.1:${port}`);
    const path = join(home, "data", "keys.json");
    expect(running.output()).toContain(path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const { masterKey, appId } = await keys();
    expect(running.output()).not.toContain(masterKey);
    const config = await (await fetch(`http://127.0.0.1:${port}/config.json`)).text();
    expect(JSON.parse(config)).toMatchObject({
      appId,
      serverUrl: `http://127.0.0.1:${port}/server`,
      devWallets: [],
      uploads: { isAllowed: true, maxBytes: 20 * 1024 ** 2, extensions: null },
    });
    expect(config).not.toContain(masterKey);
  });

  it("reports that its port is in use", async () => {
    const program = purse(["--port", port]);
    expect(await program.ended).toBe(1);
    expect(program.output()).toContain(`Port ${port} of 127.0.0.1 is in use`);
  });

  const signals = ["SIGTERM", "SIGINT"] as const;
  it.each(NIGHTLY ? signals : signals.slice(0, 1))(
    "exits cleanly on %s, and resumes with the same data",
    async (signal) => {
      const address = `http://127.0.0.1:${port}/server/classes/Thing`;
      const { appId } = await keys();
      const headers = { "X-Parse-Application-Id": appId, "Content-Type": "application/json" };
      const made = await fetch(address, { method: "POST", headers, body: '{"size":3}' });
      const { objectId } = await made.json();
      expect(await running.stop(signal)).toBe(0);
      running = await start();
      const found = await fetch(`${address}/${objectId}`, { headers });
      expect(await found.json()).toMatchObject({ size: 3 });
    },
  );

  it("refuses a data folder in use, until the other server has exited or crashed", async () => {
    const second = purse(["--port", "0"], { PURSE_DATA_DIR: join(home, "data") });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`is in use by another Purse: process ${running.pid}, since `);
    expect(second.output()).toContain(join(home, "data", "purse.sqlite"));
    await running.stop("SIGKILL");
    running = await start();
  });

  it("explains an invalid setting and its allowed values", async () => {
    const program = purse([], { PURSE_PORT: "many" });
    expect(await program.ended).toBe(1);
    expect(program.output()).toBe('purse: PURSE_PORT is "many": it must be a whole number from 0 to 65535\n');
  });

  if (NIGHTLY)
    it("rejects several processes on SQLite and names the requirement", async () => {
      const program = purse(["--processes", "2"]);
      expect(await program.ended).toBe(1);
      expect(program.output()).toContain(
        'PURSE_PROCESSES is "2": several processes need PostgreSQL (PURSE_DATABASE_URL=postgres://…)',
      );
    });

  if (NIGHTLY)
    it("explains what to do about an unwritable data folder", async () => {
      // No user may create folders there.
      const program = purse([], { PURSE_DATA_DIR: "/sys/purse" });
      expect(await program.ended).toBe(1);
      expect(program.output()).toMatch(
        /^purse: The folder \/sys\/purse cannot be written \(E\w+\)\. Give the user .* --data-dir\.\n$/,
      );
    });

  if (NIGHTLY)
    it("prints its options with --help", async () => {
      const program = purse(["--help"]);
      expect(await program.ended).toBe(0);
      expect(program.output()).toContain("PURSE_DATABASE_URL");
    });

  if (!NIGHTLY) return;

  it("exits immediately despite open live queries and requests", async () => {
    const port = await freePort();
    const program = purse(["--port", String(port)]);
    await program.says("Ctrl-C ends it");
    const socket = new WebSocket(`ws://127.0.0.1:${port}/server`);
    await new Promise((opened) => socket.addEventListener("open", opened));
    const closed = new Promise<number>((done) => socket.addEventListener("close", ({ code }) => done(code)));
    const idle = connect(port, "127.0.0.1");
    idle.write("GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
    await new Promise((answered) => idle.once("data", answered));
    expect(await program.stop("SIGINT")).toBe(0);
    expect(await closed).toBe(1001);
    idle.destroy();
  });

  it("continues without the local chain and reports the reason", async () => {
    const taken = createServer();
    const chainPort = await freePort();
    await new Promise<void>((listening) => taken.listen(chainPort, "127.0.0.1", listening));
    const port = String(await freePort());
    const program = purse(["--port", port], {
      PURSE_DEV_CHAIN: "1",
      PURSE_DEV_CHAIN_PORT: String(chainPort),
    });
    await program.says("Ctrl-C ends it");
    expect(program.output()).toContain("The local chain did not start");
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    expect(await program.stop("SIGINT")).toBe(0);
    taken.close();
  });

  it("starts the local chain, passes it to the app, and mentions that it answers for eth", async () => {
    const port = String(await freePort());
    // Its history takes seconds to create.
    if (!ALL_CASES) restoreChainSnapshot(join(folder, "data", "devchain"));
    const program = purse(["--port", port], { PURSE_DEV_CHAIN: "1", PURSE_DEV_CHAIN_PORT: "0" });
    await program.says("Ctrl-C ends it");
    expect(program.output()).toContain('answers for "eth"');
    const config = await (await fetch(`http://127.0.0.1:${port}/config.json`)).json();
    expect(config).toMatchObject({
      development: true,
      chains: [{ id: 1337, hexId: "0x539", rpcUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) }],
    });
    expect(config.devWallets.length).toBeGreaterThan(0);
    expect(await program.stop("SIGINT")).toBe(0);
  });

  it("survives uncaught errors in cloud code", async () => {
    const cloud = join(folder, "main.mjs");
    await writeFile(
      cloud,
      `Parse.Cloud.define("bad", () => {
        setTimeout(() => { throw new Error("from a timer"); });
        Promise.reject(new Error("from a promise"));
        return 1;
      });`,
    );
    const port = String(await freePort());
    const program = purse(["--port", port, "--cloud", cloud]);
    await program.says("Ctrl-C ends it");
    const call = () => fetch(`http://127.0.0.1:${port}/server/functions/bad`, { method: "POST", body: "{}" });
    expect(await (await call()).json()).toEqual({ result: 1 });
    await program.says("from a timer");
    await program.says("from a promise");
    expect(await (await call()).json()).toEqual({ result: 1 });
    expect(await program.stop("SIGINT")).toBe(0);
  });

  it("exits with 1 after an orderly shutdown on an unhandled internal error", async () => {
    const defect = join(folder, "defect.mjs");
    await writeFile(
      defect,
      `import { isMainThread } from "node:worker_threads";
      if (isMainThread) process.on("SIGUSR2", () => { Promise.reject(new Error("a defect")); });`,
    );
    const port = String(await freePort());
    const program = purse(["--port", port], { NODE_OPTIONS: `--import=${defect}`, PURSE_APP_ID: "app" });
    await program.says("Ctrl-C ends it");
    const headers = { "X-Parse-Application-Id": "app", "Content-Type": "application/json" };
    const url = `http://127.0.0.1:${port}/server/classes/Thing`;
    const { objectId } = await (await fetch(url, { method: "POST", headers, body: "{}" })).json();
    expect(await program.stop("SIGUSR2")).toBe(1);
    expect(program.output()).toContain("uncaught error: the process exits");
    expect(program.output()).toContain("a defect");
    const next = purse(["--port", port], { PURSE_APP_ID: "app" });
    await next.says("Ctrl-C ends it");
    expect((await fetch(`${url}/${objectId}`, { headers })).status).toBe(200);
    expect(await next.stop("SIGINT")).toBe(0);
  });
});
