// `npm test`: installs what the tests need, runs them, and prints `N passed, N failed` at the end.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { hasChromium } from "./chromium.mjs";
import { compiled, node, root } from "./install.mjs";
import { BROWSER_TEST, prepareTests } from "./prepareTests.mjs";
import { takeMissing } from "./programs.mjs";
import { withRunFolder } from "./runFolder.mjs";

const RESULTS = join(root, ".cache/test-results.json");
const VITEST = join(root, "node_modules/vitest/vitest.mjs");

/**
 * Runs test files with arguments of vitest. Returns how many tests passed, failed and were skipped, and whether all went
 * well.
 */
export async function runTests(args) {
  const files = await prepareTests(args);
  takeMissing();
  const inBrowser = files.filter((file) => BROWSER_TEST.test(file));
  const leftOut = inBrowser.length > 0 && !hasChromium() ? inBrowser : [];
  const withoutBrowser = leftOut.length > 0 ? ["--project", "!browser", "--passWithNoTests"] : [];
  mkdirSync(join(root, ".cache"), { recursive: true });
  rmSync(RESULTS, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${RESULTS}`];
  const { status, signal } = withRunFolder((variables) =>
    spawnSync(node, [VITEST, "run", ...reporters, ...args, ...withoutBrowser], {
      stdio: "inherit",
      cwd: root,
      env: { ...compiled, ...process.env, ...variables },
    }),
  );
  for (const missing of takeMissing()) console.log(`Skipped the tests that need ${missing}`);
  if (!existsSync(RESULTS)) {
    const isNothing = status === 0;
    console.log(
      isNothing ? "No tests to run" : `The tests were not completed: ${signal ?? `code ${status}`}`,
    );
    return { passed: 0, failed: isNothing ? 0 : 1, skipped: 0, isOk: isNothing, failures: [] };
  }
  const report = JSON.parse(readFileSync(RESULTS, "utf8"));
  const { numPassedTests: passed, numFailedTests } = report;
  // Of files that were left out, the tests are not known.
  const skipped = report.numPendingTests + leftOut.length;
  // A file that fails to load has no tests: it counts as one failure.
  const broken = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  ).length;
  const failures = report.testResults.flatMap(failuresOf);
  return { passed, failed: numFailedTests + broken, skipped, isOk: status === 0, failures };
}

/** What failed in a file of Vitest's report: a text with the file, the test and the first lines of its error, for each. */
function failuresOf({ name, status, message, assertionResults }) {
  const path = relative(root, name);
  const failed = assertionResults.filter((result) => result.status === "failed");
  if (failed.length === 0) return status === "failed" ? [`${path}\n${indent(message)}`] : [];
  return failed.map(
    ({ fullName, failureMessages }) => `${path} > ${fullName}\n${indent(failureMessages.join("\n"))}`,
  );
}

const indent = (message) => message.split("\n").slice(0, 12).join("\n").replaceAll(/^/gm, "    ");

/**
 * Prints what failed in several runs and, in one line, their counts. Then ends this process: with an error unless all tests
 * passed.
 */
export function conclude(runs) {
  for (const failure of runs.flatMap(({ failures }) => failures)) console.log(`Failed: ${failure}`);
  const sum = (name) => runs.reduce((total, run) => total + run[name], 0);
  const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  process.exit(runs.every(({ isOk }) => isOk) && failed === 0 ? 0 : 1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const run = await runTests(args);
  if (args.length === 0)
    spawnSync(node, [join(root, "scripts/conformance.ts"), "--count"], { stdio: "inherit", cwd: root });
  conclude([run]);
}
