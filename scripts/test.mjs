// `npm test`: installs the requirements, runs all tests, and prints `N passed, N failed` at the end.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ensureChromium } from "./chromium.mjs";
import { ensureInstalled, node, root } from "./install.mjs";

/** What tests need in folders of their own. */
const FOLDERS = [
  ["tests/interop", "the clients of the interop tests"],
  ["bench", "parse-server, which the client is tested with too"],
  ["tests/fixtures/oldApp", "the old packages of an old application"],
  ["tests/fixtures/createdApp", "the build tools of an old application"],
];

ensureInstalled();
// Installing mostly waits for the network and the disk.
const statuses = await Promise.all([
  inProcess("build.mjs", "ensureAppsBuilt"),
  inProcess("build.mjs", "ensureServersBuilt"),
  inProcess("chromium.mjs", "ensureChromium"),
  ...FOLDERS.map(([folder, what]) => inProcess("install.mjs", "ensureInstalled", join(root, folder), what)),
]);
const failure = statuses.find((status) => status !== 0);
if (failure !== undefined) process.exit(failure);
const chromium = ensureChromium();

const results = join(root, ".cache/test-results.json");
mkdirSync(join(root, ".cache"), { recursive: true });
rmSync(results, { force: true });
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
const { status, signal } = spawnSync(node, [vitest, "run", ...reporters, ...process.argv.slice(2)], {
  stdio: "inherit",
  cwd: root,
  env: { ...process.env, CHROMIUM_PATH: chromium },
});

spawnSync(node, [join(root, "scripts/conformance.ts"), "--count"], { stdio: "inherit", cwd: root });
if (!existsSync(results)) {
  console.error(`The tests were not completed: they ended with ${signal ?? `code ${status}`}`);
  process.exit(1);
}
const report = JSON.parse(readFileSync(results, "utf8"));
const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = report;
// A file that fails to load has no tests: it counts as one failure.
const broken = report.testResults.filter(
  (file) => file.status === "failed" && file.assertionResults.length === 0,
).length;
console.log(`${passed} passed, ${failed + broken} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exit(status === 0 && passed > 0 ? 0 : 1);

/** Calls a function of another script in a process of its own; returns its exit code. */
async function inProcess(script, name, ...args) {
  const module = new URL(script, import.meta.url).href;
  const code = `(await import(${JSON.stringify(module)})).${name}(...${JSON.stringify(args)})`;
  const child = spawn(node, ["--input-type=module", "-e", code], { stdio: "inherit", cwd: root });
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (status) => resolve(status ?? 1));
  });
}
