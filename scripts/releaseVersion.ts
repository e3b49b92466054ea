/*
 * `npm run release:version`: sets the version that the changesets in `.changeset` ask for in all manifests, in the lock file
 * and in the Helm chart, and names it in the changelog.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
const CHART = "deploy/helm/purse/Chart.yaml";
const UNRELEASED = "## Unreleased\n";

if (import.meta.main) main();

function main(): void {
  const changesets = join(ROOT, "node_modules/@changesets/cli/bin.js");
  execFileSync(process.execPath, [changesets, "version"], { cwd: ROOT, stdio: "inherit" });
  const { version } = readJson("packages/client/package.json");
  const root = readJson("package.json");
  if (version === root.version) throw new Error("There are no changesets: the version stays as it is.");
  write("package.json", `${JSON.stringify({ ...root, version }, null, 2)}\n`);
  // Installs nothing.
  execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts"], {
    cwd: ROOT,
    stdio: "inherit",
  });
  const chart = readFileSync(join(ROOT, CHART), "utf8");
  write(CHART, chart.replace(/^(version: |appVersion: ).*$/gm, `$1"${version}"`));
  const date = new Date().toISOString().slice(0, "2026-01-01".length);
  const changelog = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
  write("CHANGELOG.md", nameUnreleased(changelog, String(version), date));
}

/** Gives the unreleased changes of a changelog their version and date. Throws Error if there are none. */
export function nameUnreleased(changelog: string, version: string, date: string): string {
  const start = changelog.indexOf(UNRELEASED);
  const [changes = ""] = changelog.slice(start + UNRELEASED.length).split(/^## /m);
  if (start < 0 || changes.trim() === "") throw new Error("CHANGELOG.md has no unreleased changes");
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n## ${version} (${date})\n`);
}

function readJson(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(ROOT, file), "utf8"));
}

function write(file: string, text: string): void {
  writeFileSync(join(ROOT, file), text);
}
