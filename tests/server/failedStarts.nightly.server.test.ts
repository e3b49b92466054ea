import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failingStartFile } from "../../scripts/build.mjs";
import { freePort } from "../support/freePort.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** An obstacle that prevents a server with this data folder and port from starting, and the expected error. */
interface Case {
  reason: string;
  obstacleFor(at: { dataDir: string; port: number }): object;
  expected: RegExp;
  /** The cloud code's file in the data folder. */
  cloud?: string;
  /** More settings. */
  settings?: Record<string, string>;
}

const fileAt = (name: string, text = "") => ({
  obstacleFor: ({ dataDir }: { dataDir: string }) => ({ kind: "file", path: join(dataDir, name), text }),
});

const CASES: Case[] = [
  {
    reason: "the database is locked",
    obstacleFor: ({ dataDir }) => ({ kind: "lock", path: join(dataDir, "purse.sqlite") }),
    expected: /is in use by another Purse: process \d+/,
  },
  {
    reason: "the database file is not a database",
    ...fileAt("purse.sqlite", "x".repeat(8_192)),
    expected: /purse\.sqlite is damaged, or not an SQLite database/,
  },
  { reason: "the files folder is a file", ...fileAt("files"), expected: /files/ },
  { reason: "the uploads folder is a file", ...fileAt("uploads"), expected: /uploads/ },
  {
    reason: "the cloud code cannot be loaded",
    obstacleFor: ({ dataDir }) => ({
      kind: "file",
      path: join(dataDir, "broken.mjs"),
      text: "throw new Error('no code')",
      laterText: "",
    }),
    expected: /no code/,
    cloud: "broken.mjs",
  },
  {
    reason: "the cloud code waits for something for longer than it may",
    obstacleFor: ({ dataDir }) => ({
      kind: "file",
      path: join(dataDir, "waiting.mjs"),
      text: "await new Promise(() => undefined)",
      laterText: "",
    }),
    expected: /it was not loaded within 10000 ms/,
    cloud: "waiting.mjs",
    settings: { PURSE_CLOUD_LOAD_TIMEOUT_MS: "10000" },
  },
  { reason: "chains have no folder", ...fileAt("chains"), expected: /./ },
  {
    reason: "the port is taken",
    obstacleFor: ({ port }) => ({ kind: "port", port }),
    expected: /EADDRINUSE/,
  },
];

/** Runs the fixture, bundled like the server, until it exits; a leaked thread, socket or timer would keep it alive. */
async function run(starts: object[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(join(ROOT, "node_modules/.bin/node"), [failingStartFile, JSON.stringify(starts)], {
    cwd: ROOT,
    env: {
      ...process.env,
      PURSE_APP_ID: "app",
      PURSE_MASTER_KEY: "mastermaster",
      PURSE_DEV_CHAIN: "0",
      PURSE_CHAIN_TEST_RPC_URL: "http://127.0.0.1:1",
      PURSE_CHAIN_TEST_ID: "4242",
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (output += piece));
  const code = await new Promise<number | null>((done) => child.once("exit", done));
  return { code, output };
}

describe("a failed start", () => {
  const folder = mkdtempSync(join(tmpdir(), "purse-start-"));
  let outcomes: { error: string; ready: number }[];
  let exitCode: number | null;

  beforeAll(async () => {
    const starts = CASES.map(async ({ obstacleFor, cloud, settings }, i) => {
      const at = { dataDir: join(folder, String(i)), port: await freePort() };
      const code = cloud === undefined ? {} : { PURSE_CLOUD: join(at.dataDir, cloud) };
      const env = { PURSE_DATA_DIR: at.dataDir, PURSE_PORT: String(at.port), ...code, ...settings };
      return { obstacle: obstacleFor(at), env };
    });
    const { code, output } = await run(await Promise.all(starts));
    expect(output).toMatch(/^\[/);
    outcomes = JSON.parse(output);
    exitCode = code;
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(CASES.map(({ reason, expected }, i) => [reason, expected, i] as const))(
    "reports that %s, and can be repeated in the same process",
    (_, expected, i) => {
      expect(outcomes[i]).toEqual({ error: expect.stringMatching(expected), ready: 200 });
    },
  );

  it("leaks nothing, so that the process exits once its servers have stopped", () => {
    expect(exitCode).toBe(0);
  });
});
