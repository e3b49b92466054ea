import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import type { Starter } from "create-purse-app";
import { ensurePackagesBuilt, tarballs } from "../../scripts/build.mjs";
import { tarballOf, unpack } from "../../scripts/packages/tarballs.ts";
import { endOf } from "./endOf.ts";
import { freePort } from "./freePort.ts";
import { restoreChainSnapshot } from "./purse.ts";
import { until } from "./until.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** How long one attempt to reach the app may take, in ms. */
const ANSWER_MS = 5_000;
/** Also for the programs that npm starts. */
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);

/** Where the packages of Purse are in a project, as npm would install them. */
const PLACES: readonly [name: string, place: string][] = [
  ["purse", "purse"],
  ["@purse/protocol", "@purse/protocol"],
  ["@purse/client", "@purse/client"],
  ["@purse/react", "@purse/react"],
  ["@purse/react", "react-moralis"],
  ["@purse/moralis", "moralis-v1"],
];

/** A created project. */
export interface StarterProject {
  folder: string;
  remove(): void;
}

/**
 * Creates a project with the packed program. Unless it `isInstalled` from the registry, outside of the workspace, it finds
 * the packages of others in the workspace.
 */
export function createStarter({ id }: Starter, isInstalled: boolean): StarterProject {
  ensurePackagesBuilt();
  const home = mkdtempSync(join(isInstalled ? tmpdir() : join(ROOT, ".cache"), "starter-"));
  const folder = join(home, "my-dapp");
  const run = (program: string, args: string[]) =>
    execFileSync(program, args, { cwd: home, stdio: "pipe", env: { ...process.env, PATH } });
  const options = ["my-dapp", "--yes", "--template", id];
  if (isInstalled) {
    const program = ["exec", "--yes", "--package", tarballOf("create-purse-app"), "--", "create-purse-app"];
    run("npm", [...program, ...options, "--packages", tarballs]);
  } else {
    unpack("create-purse-app", join(home, "program"));
    run(process.execPath, [join(home, "program/bin/create-purse-app.js"), ...options, "--no-install"]);
    const modules = join(folder, "node_modules");
    for (const [name, place] of PLACES) unpack(name, join(modules, place));
    mkdirSync(join(modules, ".bin"));
    symlinkSync("../purse/bin/purse.js", join(modules, ".bin/purse"));
  }
  return { folder, remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 10 }) };
}

/** Builds the app of a project for production; returns the code that browsers load. Throws Error with the output. */
export function buildStarter({ folder }: StarterProject, { id }: Starter): string {
  execFileSync("npm", ["run", "build"], {
    cwd: folder,
    stdio: "pipe",
    env: { ...process.env, PATH, NODE_ENV: undefined, VITEST: undefined, NEXT_TELEMETRY_DISABLED: "1" },
  });
  const built = join(folder, id === "nextjs" ? ".next/static" : "dist");
  const scripts = readdirSync(built, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".js"),
  );
  return scripts.map((file) => readFileSync(join(built, file), "utf8")).join("\n");
}

/** A project that `npm start` has started. */
export interface RunningStarter {
  /** Of the app. */
  origin: string;
  /** Of the local chain. */
  rpcUrl: string;
  /** What it has printed so far. */
  output(): string;
  /** Stops the app and Purse like Ctrl-C. */
  stop(): Promise<void>;
}

/** Runs `npm start` in a project, on free ports, until the app and Purse respond. Throws Error with its output. */
export async function startStarter({ folder }: StarterProject, { url }: Starter): Promise<RunningStarter> {
  const [port, appPort, chainPort] = [await freePort(), await freePort(), await freePort()];
  const serverUrl = `http://127.0.0.1:${port}/server`;
  restoreChainSnapshot(join(folder, "data/devchain"));
  const child = spawn("npm", ["start"], {
    cwd: folder,
    detached: true,
    env: {
      ...process.env,
      PATH,
      // As in a shell, not as in a test.
      NODE_ENV: undefined,
      VITEST: undefined,
      PORT: String(appPort),
      PURSE_PORT: String(port),
      PURSE_DEV_CHAIN_PORT: String(chainPort),
      VITE_PURSE_URL: serverUrl,
      VITE_MORALIS_SERVER_URL: serverUrl,
      NEXT_PUBLIC_PURSE_URL: serverUrl,
      NEXT_TELEMETRY_DISABLED: "1",
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  const origin = `http://localhost:${appPort}`;
  const stop = () => interrupt(child);
  try {
    await Promise.all([
      ...(url === undefined ? [] : [waitUntil(child, () => isOk(origin))]),
      waitUntil(child, () => isFollowing(`http://127.0.0.1:${port}/health`)),
    ]);
  } catch (error) {
    await stop();
    throw new Error(`npm start has failed:\n${output}`, { cause: error });
  }
  return { origin, rpcUrl: `http://127.0.0.1:${chainPort}`, output: () => output, stop };
}

async function interrupt(child: ChildProcess): Promise<void> {
  if (endOf(child) !== undefined || child.pid === undefined) return;
  const exited = new Promise((done) => child.once("exit", done));
  // All processes of the terminal get it.
  process.kill(-child.pid, "SIGINT");
  await exited;
}

async function waitUntil(child: ChildProcess, isReady: () => Promise<boolean>): Promise<void> {
  const hasStarted = () => {
    const ended = endOf(child);
    if (ended !== undefined) throw new Error(`It did not start: ${ended}`);
    return isReady().catch(() => false);
  };
  await until(hasStarted, { withinMs: 120_000, otherwise: "It does not respond" });
}

async function isOk(url: string): Promise<boolean> {
  return (await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })).ok;
}

async function isFollowing(url: string): Promise<boolean> {
  const { chains }: { chains: { state: string }[] } = await (
    await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })
  ).json();
  return chains.length > 0 && chains.every(({ state }) => state === "following");
}
