/*
 * Refuses terms that the project does not use, in identifiers, file names, texts of the app and documentation. The table
 * is in vocabulary/rules.ts. Terms that are still in use are counted in vocabulary/baseline.json; a count must not grow.
 *   node scripts/run.mjs scripts/vocabulary.ts            compares the counts with the baseline (`npm run check`)
 *   node scripts/run.mjs scripts/vocabulary.ts --report   lists every place; `--report door` those of one term
 *   node scripts/run.mjs scripts/vocabulary.ts --write    lowers the baseline to the counts of today
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Finding, findInPage, findInSource } from "./vocabulary/find.ts";

const ROOT = join(import.meta.dirname, "..");
const BASELINE = join(import.meta.dirname, "vocabulary/baseline.json");
const SOURCES = ["packages", "apps", "scripts", "tests", "bench", "cloud", "plugins"];
const PAGES = ["*.md", "docs/**/*.md", "packages/*/README.md"];
const SKIPPED = /(^|\/)(node_modules|dist|artifacts|fixtures|ponder)$/;

if (import.meta.main) main(process.argv.slice(2));

function main([option, term]: string[]): void {
  const findings = findEverywhere();
  const counts = countByTerm(findings);
  if (option === "--report") {
    for (const finding of findings) {
      if (term !== undefined && finding.term !== term && finding.term !== `“${term}”`) continue;
      console.log(
        `${finding.file}:${finding.line}: ${finding.term} → ${finding.use}: ${finding.text.slice(0, 100)}`,
      );
    }
    for (const [name, count] of Object.entries(counts)) console.log(`${String(count).padStart(5)} ${name}`);
  } else if (option === "--write") {
    writeFileSync(BASELINE, `${JSON.stringify(counts, undefined, 2)}\n`);
  } else {
    const problems = grown(counts, JSON.parse(readFileSync(BASELINE, "utf8")));
    for (const problem of problems) console.error(problem);
    if (problems.length > 0) process.exitCode = 1;
  }
  console.log(`vocabulary: ${findings.length} uses of ${Object.keys(counts).length} refused terms`);
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

/** How many findings each term has, in the order of terms. */
export function countByTerm(findings: readonly Finding[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { term } of findings.toSorted((a, b) => (a.term < b.term ? -1 : a.term > b.term ? 1 : 0)))
    counts[term] = (counts[term] ?? 0) + 1;
  return counts;
}

/** A message for each term that is used more often than in the baseline. */
export function grown(counts: Record<string, number>, baseline: Record<string, number>): string[] {
  return Object.entries(counts)
    .filter(([term, count]) => count > (baseline[term] ?? 0))
    .map(
      ([term, count]) =>
        `${term} is used ${count} times, at most ${baseline[term] ?? 0} are allowed: see \`node scripts/run.mjs scripts/vocabulary.ts --report ${term.replaceAll(/[“”]/g, "")}\``,
    );
}
