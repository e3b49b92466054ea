import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "@purse/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { diagnose, renderFindings } from "./doctor.ts";
import type { Finding } from "./finding.ts";
import { checkNode } from "./localChecks.ts";

let folder: string;
const servers: Server[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "purse-doctor-"));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((closed) => server.close(closed));
  rmSync(folder, { recursive: true });
});

/** Listens on a free port and returns it. */
async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return (server.address() as AddressInfo).port;
}

/** A node that answers every request with these results. */
function node(results: Record<string, unknown>): Promise<number> {
  const server = createServer(async (request, response) => {
    const { method } = JSON.parse((await request.toArray()).join(""));
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: results[method] }));
  });
  return listen(server);
}

const run = (env: Record<string, string> = {}) =>
  diagnose(() => loadConfig({ argv: [], env: { PURSE_PORT: "0", ...env }, cwd: folder }));
const problems = (findings: Finding[]) => findings.filter(({ state }) => state !== "ok");

describe("purse doctor", () => {
  it("finds no problem in a new folder", async () => {
    expect(problems(await run())).toEqual([]);
  });

  it("rejects versions of Node.js that are too old", () => {
    expect(checkNode("22.17.1")).toMatchObject([{ state: "error", text: "Node.js 22.17.1 is too old" }]);
    expect(checkNode("22.18.0")).toMatchObject([{ state: "ok" }]);
    expect(checkNode("26.0.0")).toMatchObject([{ state: "ok" }]);
  });

  it("reports a setting that the server would reject", async () => {
    const findings = await run({ PURSE_PORT: "many" });
    expect(problems(findings)).toMatchObject([
      { area: "settings", state: "error", text: expect.stringContaining("PURSE_PORT") },
    ]);
  });

  it("reports variables that are no settings, and asks what was meant", async () => {
    expect(problems(await run({ PURSE_TRUSTED_PROXY: "loopback" }))).toEqual([
      {
        area: "settings",
        state: "warning",
        text: "PURSE_TRUSTED_PROXY is ignored",
        advice: "It is not a setting: did you mean PURSE_TRUSTED_PROXIES?",
      },
    ]);
  });

  it("reports a public URL without TLS, mail server and trusted proxy in production", async () => {
    const findings = await run({ PURSE_ENV: "production", PURSE_SERVER_URL: "http://127.0.0.1:9/server" });
    expect(problems(findings).map(({ area, state }) => [area, state])).toEqual([
      ["settings", "error"],
      ["settings", "warning"],
      ["settings", "warning"],
      ["public URL", "error"],
    ]);
  });

  it("reports a file that is not a database", async () => {
    mkdirSync(join(folder, "data"));
    writeFileSync(join(folder, "data/purse.sqlite"), "This is not SQLite.".repeat(100));
    expect(problems(await run())).toMatchObject([{ area: "database", state: "error" }]);
  });

  it("reports a PostgreSQL server and a mail server that do not respond", async () => {
    const findings = await run({
      PURSE_DATABASE_URL: "postgres://nobody:secret@127.0.0.1:9/none",
      PURSE_SMTP_URL: "smtp://nobody:secret@127.0.0.1:9",
    });
    expect(problems(findings)).toMatchObject([
      { area: "database", state: "error" },
      { area: "mail", state: "error" },
    ]);
    expect(renderFindings(findings)).not.toContain("secret");
  });

  it("reports buckets and a Valkey server that do not respond", async () => {
    const findings = await run({
      PURSE_DATABASE_URL: "postgres://nobody:secret@127.0.0.1:9/none",
      PURSE_DATABASE_DIRECT_URL: "postgres://nobody:secret@127.0.0.1:9/none",
      PURSE_FILES_STORE: "s3://files?endpoint=http://127.0.0.1:9&forcePathStyle=1",
      PURSE_BACKUPS_STORE: "s3://backups?endpoint=http://127.0.0.1:9&forcePathStyle=1",
      PURSE_VALKEY_URL: "valkey://nobody:secret@127.0.0.1:9",
    });
    expect(problems(findings).map(({ area, state }) => [area, state])).toEqual([
      ["pooler", "error"],
      ["database", "error"],
      ["files", "error"],
      ["backups", "error"],
      ["Valkey", "error"],
    ]);
    expect(renderFindings(findings)).not.toContain("secret");
  });

  it("reports the own database of a chain's index that does not respond", async () => {
    const now = Math.floor(Date.now() / 1000);
    const port = await node({
      eth_chainId: "0x1",
      eth_getBlockByNumber: { timestamp: `0x${now.toString(16)}` },
    });
    const findings = await run({
      PURSE_CHAIN_ETH_RPC_URL: `http://127.0.0.1:${port}`,
      PURSE_CHAIN_ETH_DATABASE_URL: "postgres://nobody:secret@127.0.0.1:9/none",
    });
    expect(problems(findings)).toMatchObject([
      {
        area: "index of eth",
        state: "error",
        advice: "Check the chain's DATABASE_URL, the server and its network.",
      },
    ]);
    expect(renderFindings(findings)).not.toContain("secret");
  });

  it("reports a node of another chain and a node that lags behind", async () => {
    const now = Math.floor(Date.now() / 1000);
    const blockAt = (time: number) => ({ timestamp: `0x${time.toString(16)}` });
    const other = await node({ eth_chainId: "0x89", eth_getBlockByNumber: blockAt(now) });
    const late = await node({ eth_chainId: "0x1", eth_getBlockByNumber: blockAt(now - 7_200) });
    const right = await node({ eth_chainId: "0x1", eth_getBlockByNumber: blockAt(now) });
    const urls = [other, late, right].map((port) => `http://127.0.0.1:${port}/secret-key`);
    const findings = await run({ PURSE_CHAIN_ETH_RPC_URL: urls.join() });
    expect(problems(findings)).toMatchObject([
      { area: "chain eth", state: "error", text: `127.0.0.1:${other} is a node of chain 137, not 1` },
      { area: "chain eth", state: "warning", text: expect.stringContaining("120 minutes old") },
    ]);
    expect(renderFindings(findings)).not.toContain("secret-key");
  });

  it("reports a port that another program uses", async () => {
    const port = await listen(createTcpServer((socket) => socket.destroy()));
    const findings = await run({ PURSE_PORT: String(port) });
    expect(problems(findings)).toMatchObject([{ area: "port", state: "error" }]);
  });

  it("reports cloud code with a syntax error", async () => {
    mkdirSync(join(folder, "cloud"));
    const file = join(folder, "cloud/main.ts");
    writeFileSync(file, "const a: number = 1;\nParse.Cloud.define('x', ( => 1);");
    expect(problems(await run())).toMatchObject([
      { area: "cloud code", state: "error", text: expect.stringContaining(`${file}:2:27: SyntaxError`) },
    ]);
    writeFileSync(file, "const a: number = 1;\nParse.Cloud.define('x', (): number => a);");
    expect(problems(await run())).toEqual([]);
  });

  it("finds five misconfigurations in one run, with a solution for each", async () => {
    const port = await listen(createTcpServer((socket) => socket.destroy()));
    mkdirSync(join(folder, "cloud"));
    writeFileSync(join(folder, "cloud/main.ts"), "Parse.Cloud.define('x', ( => 1);");
    mkdirSync(join(folder, "data"));
    writeFileSync(join(folder, "data/purse.sqlite"), "This is not SQLite.".repeat(100));
    const findings = await run({
      PURSE_ENV: "production",
      PURSE_SERVER_URL: "http://127.0.0.1:9/server",
      PURSE_TRUSTED_PROXIES: "loopback",
      PURSE_SMTP_URL: "smtp://127.0.0.1:9",
      PURSE_PORT: String(port),
    });
    const found = problems(findings).filter(({ area }) => area !== "public URL");
    expect(found.map(({ area }) => area)).toEqual(["settings", "database", "cloud code", "port", "mail"]);
    for (const { advice } of found) expect(advice).toMatch(/\w+/);
  });
});
