import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { isSyntaxNode, visitSource } from "./syntaxTree.ts";

/*
 * docs/deploy/security.md names the tests of each attack: they exist, and each advisory that a test tries is on the page.
 */

const ROOT = join(import.meta.dirname, "..");
const PAGE = readFileSync(join(ROOT, "docs/deploy/security.md"), "utf8");
const FILES = ["apps", "packages", "scripts", "tests"].flatMap((folder) =>
  globSync(`${folder}/**/*.test.{ts,tsx}`, {
    cwd: ROOT,
    exclude: (path) => /(^|\/)(node_modules|dist|\.cache)$/.test(path),
  }),
);
const ADVISORY = /\b(?:CVE-\d{4}-\d+|GHSA-[\w-]+|[a-z]+(?:[-/][a-z]+)?(?:#\d+|:[\w.-]+))/g;
/** A reason why there is no test. */
const REASON = /^– [A-Z].{10,}\.$/;

const advisoriesIn = (text: string): string[] => text.match(ADVISORY) ?? [];

/** The names of test files without their folders and suffixes. */
const nameOf = (file: string) => basename(file).replace(/\..*$/, "");
const NAMES = new Set(FILES.map(nameOf));
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

interface Row {
  cells: string[];
  section: string;
  headers: string[];
}

/** The rows of all tables of the page. */
function rowsOf(page: string): Row[] {
  const rows: Row[] = [];
  let section = "";
  let headers: string[] = [];
  for (const line of page.split("\n")) {
    if (line.startsWith("## ")) section = line.slice(3);
    if (!line.startsWith("|")) headers = [];
    else {
      const cells = line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim());
      if (headers.length === 0) headers = cells;
      else if (!/^:?-+:?$/.test(cells[0] ?? "")) rows.push({ cells, section, headers });
    }
  }
  return rows;
}

const ROWS = rowsOf(PAGE);
const ADVISORIES = ROWS.filter(({ section }) => section === "Advisories of similar servers").map(
  ({ cells: [ids = "", attack = "", tests = ""] }) => ({ ids: [...advisoriesIn(ids)], attack, tests }),
);

/** The tests of a row: files, and the title unless the file has the advisories in its titles. */
function testsIn(text: string): { file: string; title: string | undefined }[] {
  return [...text.matchAll(/`(\w+)`(?: \*([^*]+)\*)?/g)].map(([, file = "", title]) => ({ file, title }));
}

/** The titles of the tests in a file, as they are written. */
function titlesIn(file: string): Set<string> {
  const titles = new Set<string>();
  visitSource(file, read(file), ({ type, callee, arguments: given }) => {
    if (type !== "CallExpression" || !isTest(callee) || !Array.isArray(given)) return;
    const [first]: unknown[] = given;
    if (isSyntaxNode(first) && typeof first.value === "string") titles.add(first.value);
  });
  return titles;
}

/** Whether `it`, `it.each(…)` and the like are called. */
function isTest(callee: unknown): boolean {
  if (!isSyntaxNode(callee)) return false;
  return callee.name === "it" || isTest(callee.object) || isTest(callee.callee) || isTest(callee.tag);
}

describe("the page about security", () => {
  it("names only tests that exist in its columns of tests", () => {
    const missing = ROWS.filter(
      ({ section, headers }) => section !== "Advisories of similar servers" && headers.at(-1) === "Tests",
    )
      .flatMap(({ cells }) => (cells.at(-1) ?? "").replaceAll(/`npm run [\w:]+`/g, "").split(","))
      .map((name) => name.trim())
      .filter((name) => name !== "" && !NAMES.has(name));
    expect(missing).toEqual([]);
  });

  it("has a test or a reason for each advisory, once", () => {
    expect(ADVISORIES.length).toBeGreaterThan(80);
    for (const { ids, attack, tests } of ADVISORIES) {
      expect([attack, ids.length > 0]).toEqual([attack, true]);
      expect([ids, tests]).toEqual([
        ids,
        REASON.test(tests) ? tests : expect.stringMatching(/^(`\w+`( \*[^*]+\*)?(, )?)+$/),
      ]);
    }
    const all = ADVISORIES.flatMap(({ ids }) => ids);
    expect(all.filter((id, i) => all.indexOf(id) !== i)).toEqual([]);
  });

  it.each(
    ADVISORIES.filter(({ tests }) => !REASON.test(tests)).map((row) => [row.ids.join(", "), row] as const),
  )("names existing tests of %s", (_, { ids, tests }) => {
    for (const { file, title } of testsIn(tests)) {
      const files = FILES.filter((each) => nameOf(each) === file);
      const found =
        title === undefined
          ? files.filter((each) => ids.some((id) => advisoriesIn(read(each)).includes(id)))
          : files.filter((each) => titlesIn(each).has(title));
      expect([file, title, found.length]).toEqual([file, title, 1]);
    }
    // Those that are named by an advisory have all of the row.
    const advisories = testsIn(tests)
      .filter(({ title }) => title === undefined)
      .map(({ file }) => file);
    if (advisories.length === 0 || testsIn(tests).length > advisories.length) return;
    const texts = FILES.filter((each) => advisories.includes(nameOf(each)))
      .map(read)
      .join();
    expect(ids.filter((id) => !texts.includes(id))).toEqual([]);
  });

  it.each(FILES.filter((file) => nameOf(file).startsWith("advisories")))(
    "has each advisory that %s tries",
    (file) => {
      const known = ADVISORIES.flatMap(({ ids }) => ids);
      const tried = [
        ...read(file).matchAll(/^ {6}"((?:CVE|GHSA|parse-server|appwrite|supabase|pocketbase)[^"]*)",$/gm),
      ];
      expect(tried.length).toBeGreaterThan(10);
      expect(tried.flatMap(([, ids = ""]) => advisoriesIn(ids)).filter((id) => !known.includes(id))).toEqual(
        [],
      );
    },
  );
});
