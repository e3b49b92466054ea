/*
 * Refuses terms that the project does not use, in identifiers, file names, texts of the app and documentation. The table
 * is in vocabulary/rules.ts, with the places where a term has its ordinary meaning.
 *   node scripts/run.mjs scripts/vocabulary.ts   lists every use of a refused term (part of `npm run check`)
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Finding, findInPage, findInSource } from "./vocabulary/find.ts";

const ROOT = join(import.meta.dirname, "..");
const SOURCES = ["packages", "apps", "scripts", "tests", "bench", "cloud", "plugins"];
const PAGES = ["*.md", "docs/**/*.md", "packages/*/README.md"];
const SKIPPED = /(^|\/)(node_modules|dist|artifacts|fixtures|ponder)$/;

if (import.meta.main) main();

function main(): void {
  const findings = findEverywhere();
  for (const { file, line, term, use, text } of findings)
    console.error(`${file}:${line}: ${term} → ${use}: ${text.slice(0, 100)}`);
  if (findings.length > 0) process.exitCode = 1;
  console.log(`vocabulary: ${findings.length} uses of refused terms`);
}

function findEverywhere(): Finding[] {
  const exclude = (path: string) => SKIPPED.test(path);
  const sources = SOURCES.flatMap((folder) =>
    globSync(`${folder}/**/*.{ts,tsx,mts,mjs}`, { cwd: ROOT, exclude }),
  );
  const pages = PAGES.flatMap((pattern) => globSync(pattern, { cwd: ROOT, exclude }));
  const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
  return [
    ...sources.sort().flatMap((file) => findInSource(file, read(file))),
    ...pages.sort().flatMap((file) => findInPage(file, read(file))),
  ];
}
