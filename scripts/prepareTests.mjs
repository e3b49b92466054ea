// Installs and builds what tests need. CI runs it beside the checks: installing mostly waits for the network and the disk.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compiled, ensureInstalled, node, root } from "./install.mjs";

const vitest = join(root, "node_modules/vitest/vitest.mjs");

/** Files of tests that need a browser. */
export const BROWSER_TEST = /\.browser\.test\./;

/** What test files need beyond the packages of the repository, by their paths: functions of scripts that provide it. */
const NEEDS = [
  {
    files: /^tests\/interop\//,
    ...installed("tests/interop", "the clients of the interop tests"),
  },
  {
    files: /^tests\/client\/(classes|foreignLive)\./,
    ...installed("bench", "parse-server, which the client is tested with too"),
  },
  {
    files: /^tests\/browser\/oldApp\./,
    ...installed("tests/fixtures/oldApp", "the old packages of an old application"),
  },
  {
    files: /^tests\/browser\/createdApp\./,
    ...installed("tests/fixtures/createdApp", "the build tools of an old application"),
  },
  { files: /\.(server|alone|browser)\.test\./, script: "build.mjs", name: "ensureServersBuilt" },
  { files: /\.browser\.test\.|^tests\/(security|server)\//, script: "build.mjs", name: "ensureAppsBuilt" },
  { files: BROWSER_TEST, script: "chromium.mjs", name: "hasChromium" },
];

function installed(folder, what) {
  return { script: "install.mjs", name: "ensureInstalled", args: [join(root, folder), what] };
}

/**
 * Prepares what the tests need that `vitest` would run with these arguments, in processes of their own. Exits this process if
 * something fails. Returns the paths of the test files.
 */
export async function prepareTests(args) {
  ensureInstalled();
  const files = filesOf(args);
  const needs = NEEDS.filter(({ files: pattern }) => files.some((file) => pattern.test(file)));
  const statuses = await Promise.all(needs.map(inProcess));
  const failure = statuses.find((status) => status !== 0);
  if (failure !== undefined) process.exit(failure);
  return files;
}

/** The files that `vitest` would run with these arguments. */
function filesOf(args) {
  const { stdout, status } = spawnSync(node, [vitest, "list", "--filesOnly", ...args, "--json"], {
    cwd: root,
    encoding: "utf8",
    env: { ...compiled, ...process.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) process.exit(status ?? 1);
  return JSON.parse(stdout).map(({ file }) => file.slice(root.length + 1));
}

/** Calls a function of another script in a process of its own; returns its exit code. */
function inProcess({ script, name, args = [] }) {
  const module = new URL(script, import.meta.url).href;
  const code = `(await import(${JSON.stringify(module)})).${name}(...${JSON.stringify(args)})`;
  const child = spawn(node, ["--input-type=module", "-e", code], { stdio: "inherit", cwd: root });
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (status) => resolve(status ?? 1));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await prepareTests(process.argv.slice(2));
