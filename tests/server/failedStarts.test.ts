import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { freePort } from "../support/freePort.ts";

const ROOT = resolve(import.meta.dirname, "../..");

interface Ended {
  code: number | null;
  output: string;
}

/** Runs the fixture until it ends by itself; a thread, socket or timer that is left over would keep it alive. */
async function run(obstacle: object, dataDir: string, env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(
    join(ROOT, "node_modules/.bin/node"),
    [join(ROOT, "tests/fixtures/failingStart.ts"), JSON.stringify(obstacle)],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        PURSE_DATA_DIR: dataDir,
        PURSE_PORT: String(await freePort()),
        PURSE_APP_ID: "app",
        PURSE_MASTER_KEY: "mastermaster",
        PURSE_DEV_CHAIN: "0",
        PURSE_CHAIN_TEST_RPC_URL: "http://127.0.0.1:1",
        PURSE_CHAIN_TEST_ID: "4242",
        ...env,
      },
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (output += piece));
  const code = await new Promise<number | null>((done) => child.once("exit", done));
  return { code, output };
}

describe("a start that fails", () => {
  it.each<[string, (dataDir: string) => object, RegExp]>([
    ["the database is locked", () => ({ kind: "lock" }), /is in use by another Purse: process \d+/],
    [
      "the database is no database",
      (dataDir) => ({ kind: "file", path: join(dataDir, "purse.sqlite"), text: "x".repeat(8_192) }),
      /purse\.sqlite is damaged, or not an SQLite database/,
    ],
    [
      "files have no folder",
      (dataDir) => ({ kind: "file", path: join(dataDir, "files"), text: "" }),
      /files/,
    ],
    [
      "uploads have no folder",
      (dataDir) => ({ kind: "file", path: join(dataDir, "uploads"), text: "" }),
      /uploads/,
    ],
    [
      "the cloud code cannot be loaded",
      (dataDir) => ({
        kind: "file",
        path: join(dataDir, "broken.mjs"),
        text: "throw new Error('no code')",
        later: "",
      }),
      /no code/,
    ],
    ["chains have no folder", (dataDir) => ({ kind: "file", path: join(dataDir, "chains"), text: "" }), /./],
    ["the port is taken", () => ({ kind: "port" }), /EADDRINUSE/],
  ])(
    "because %s leaves nothing behind: the same process starts again, stops and ends",
    async (reason, obstacleIn, expected) => {
      const dataDir = mkdtempSync(join(tmpdir(), "purse-start-"));
      try {
        const code: Record<string, string> = reason.includes("cloud")
          ? { PURSE_CLOUD: join(dataDir, "broken.mjs") }
          : {};
        const { code: exitCode, output } = await run(obstacleIn(dataDir), dataDir, code);
        expect({ exitCode, output: exitCode === 0 ? "" : output }).toEqual({ exitCode: 0, output: "" });
        const { error, ready } = JSON.parse(output.slice(output.indexOf("{")));
        expect(error).toMatch(expected);
        expect(ready).toBe(200);
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
    60_000,
  );
});
