import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../tests/support/freePort.ts";
import { ensurePackagesBuilt } from "../build.mjs";
import { tarballOf, unpack } from "./tarballs.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** Where the packed command is installed: below the workspace, in which its dependencies are found. */
let installed: string;
/** An empty folder outside of the workspace, in which the command runs. */
let project: string;
let command: string;
let server: ChildProcess | undefined;

beforeAll(() => {
  ensurePackagesBuilt();
  installed = mkdtempSync(join(ROOT, ".cache/installed-"));
  project = mkdtempSync(join(tmpdir(), "purse-project-"));
  unpack("purse", join(installed, "node_modules/purse"));
  command = join(installed, "node_modules/purse/bin/purse.js");
}, 300_000);
afterAll(async () => {
  if (server && server.exitCode === null) {
    const ended = new Promise((exit) => server?.once("exit", exit));
    server.kill("SIGTERM");
    await ended;
  }
  rmSync(installed, { recursive: true, force: true });
  rmSync(project, { recursive: true, force: true });
});

const purse = (...args: string[]) =>
  execFileSync(process.execPath, [command, ...args], { cwd: project, encoding: "utf8" });

describe("the purse command, installed from its package", () => {
  it("starts in a folder that init has prepared, with its settings and cloud code", async () => {
    expect(purse("init")).toContain("cloud/main.ts: written");
    const port = await freePort();
    server = spawn(process.execPath, [command, "start", "--port", String(port)], {
      cwd: project,
      env: { ...process.env, PURSE_DEV_CHAIN: "0", PURSE_APP_ID: "packed", NODE_ENV: "" },
      stdio: "ignore",
    });
    const url = `http://127.0.0.1:${port}`;
    await expect
      .poll(
        () =>
          fetch(`${url}/health`).then(
            ({ ok }) => ok,
            () => false,
          ),
        { timeout: 60_000 },
      )
      .toBe(true);
    const answer = await fetch(`${url}/server/functions/hello`, {
      method: "POST",
      headers: { "X-Parse-Application-Id": "packed", "Content-Type": "application/json" },
      body: '{"name":"Ada"}',
    });
    expect(await answer.json()).toEqual({ result: "Hello, Ada!" });
    const pages = await Promise.all(["/", "/studio", "/docs/"].map((path) => fetch(url + path)));
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200]);
  }, 120_000);

  it("restarts in development when the config file changes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "purse-dev-"));
    const port = await freePort();
    const configure = (appId: string) =>
      writeFileSync(join(folder, "purse.config.ts"), `export default ${JSON.stringify({ appId, port })};`);
    configure("before");
    const development = spawn(process.execPath, [command, "dev"], {
      cwd: folder,
      env: { ...process.env, PURSE_DEV_CHAIN: "0", NODE_ENV: "" },
      stdio: "ignore",
    });
    const appId = () =>
      fetch(`http://127.0.0.1:${port}/config.json`).then(
        async (response) => (await response.json()).appId,
        () => undefined,
      );
    try {
      await expect.poll(appId, { timeout: 60_000 }).toBe("before");
      configure("after");
      await expect.poll(appId, { timeout: 60_000 }).toBe("after");
    } finally {
      const ended = new Promise((exit) => development.once("exit", exit));
      development.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    }
  }, 120_000);

  it("runs the other commands and uses its own name in their messages", () => {
    expect(purse("--version").trim()).toMatch(/^\d+\.\d+\.\d+$/);
    expect(purse("keys", "--help")).toContain("Usage: purse <command>");
    expect(purse("keys", "list")).toContain("There are no keys.");
    const findings: unknown = JSON.parse(purse("doctor", "--json"));
    expect(findings).toContainEqual(expect.objectContaining({ area: "database", state: "ok" }));
  });
});

/** With PURSE_PROVE_PACKAGES=1: the versions of Node.js with which the command is installed from the registry. */
const NODE_MAJORS = process.env.PURSE_PROVE_PACKAGES === "1" ? ["22", "26"] : [];

describe.each(NODE_MAJORS)("the purse command, installed in an empty folder with Node.js %s", (major) => {
  it("starts within 20 seconds without the repository, and passes its own check", async () => {
    const home = mkdtempSync(join(tmpdir(), "purse-installed-"));
    const install = (...packages: string[]) =>
      execFileSync("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: home, stdio: "pipe" });
    writeFileSync(join(home, "package.json"), '{ "private": true, "allowScripts": { "node": true } }');
    // Its install script places the runtime of this platform.
    install("--ignore-scripts=false", `node@${major}`);
    install(tarballOf("purse"));
    const node = join(home, "node_modules/node/bin/node");
    expect(execFileSync(node, ["--version"], { encoding: "utf8" })).toMatch(`v${major}.`);
    const program = join(home, "node_modules/purse/bin/purse.js");
    const run = (...args: string[]) =>
      execFileSync(node, [program, ...args], { cwd: home, encoding: "utf8", env: environment(home) });
    run("init");
    const port = await freePort();
    const chainPort = await freePort();
    const started = spawn(node, [program, "--port", String(port)], {
      cwd: home,
      env: { ...environment(home), PURSE_DEV_CHAIN_PORT: String(chainPort) },
      stdio: "ignore",
    });
    try {
      const isHealthy = () =>
        fetch(`http://127.0.0.1:${port}/health`).then(
          ({ ok }) => ok,
          () => false,
        );
      await expect.poll(isHealthy, { timeout: 20_000 }).toBe(true);
      const findings: { state: string }[] = JSON.parse(run("doctor", "--json"));
      expect(findings.filter(({ state }) => state === "error")).toEqual([]);
    } finally {
      const ended = new Promise((exit) => started.once("exit", exit));
      started.kill("SIGTERM");
      await ended;
      rmSync(home, { recursive: true, force: true, maxRetries: 10 });
    }
  }, 300_000);
});

/** The environment of a shell, without what tests set. */
function environment(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home };
}
