// `npm test`: installs the requirements, runs all tests, and prints `N passed, N failed` at the end.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ensureChromium } from "./chromium.mjs";
import { node, root } from "./install.mjs";
import { prepareTests } from "./prepareTests.mjs";

await prepareTests();
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
