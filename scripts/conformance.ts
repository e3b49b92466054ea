/*
 * Writes docs/internals/conformance.md: each item of the specification with the tests that have its id as a
 * tag. `--check` writes nothing and fails where the file is stale; `--count` prints the count.
 */
import { globSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { writeGenerated } from "./generatedFiles.ts";

interface Item {
  id: string;
  section: number;
  text: string;
  side: string;
}

const ROOT = resolve(import.meta.dirname, "..");
const SECTIONS = [
  "The whole",
  "What the product does",
  "Screens and routes",
  "Entities and their fields",
  "States and transitions",
  "Validation rules",
  "Roles and permissions",
  "The calls it makes",
  "Error catalogue",
  "Constants and limits",
];

const items: Item[] = JSON.parse(readFileSync(join(ROOT, "docs/internals/conformance/items.json"), "utf8"));
const tests = testsById();
const unknown = [...tests.keys()].filter((id) => !items.some((item) => item.id === id));
if (unknown.length > 0) {
  console.error(`Tests have tags that no item has as its id: ${unknown.join(", ")}`);
  process.exit(1);
}
const covered = items.filter((item) => tests.has(item.id)).length;
if (!process.argv.includes("--count"))
  writeGenerated("conformance.ts", [["docs/internals/conformance.md", render()]]);
console.log(`conformance: ${covered} of ${items.length} items covered`);

/** The files of the tests with an id as their tag; the tests of a table have the ids of all its rows. */
function testsById(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const files = ["packages/**/*.test.{ts,tsx}", "apps/**/*.test.{ts,tsx}", "tests/**/*.test.ts"].flatMap(
    (pattern) => globSync(pattern, { cwd: ROOT, exclude: (name) => name.includes("node_modules") }),
  );
  for (const file of files.sort()) {
    const text = readFileSync(join(ROOT, file), "utf8");
    const lists = [...text.matchAll(/\btags: \[([^\]]*)\]/g)].map(([, list]) => list);
    for (const [, id] of lists.join().matchAll(/"(\d\.[a-z][a-z0-9.-]*)"/g)) {
      if (id === undefined) continue;
      const places = found.get(id) ?? new Set();
      found.set(id, places.add(relative(ROOT, join(ROOT, file))));
    }
  }
  return found;
}

function render(): string {
  const lines = [
    "# Conformance",
    "",
    `Each item of the product specification with the tests that verify it: ${covered} of ${items.length} items are covered.`,
    "Generated from the tags of the tests by `node scripts/run.mjs scripts/conformance.ts`.",
  ];
  for (const [section, name] of SECTIONS.entries()) {
    const own = items.filter((item) => item.section === section);
    if (own.length === 0) continue;
    const done = own.filter((item) => tests.has(item.id)).length;
    lines.push(
      "",
      `## ${section}. ${name} (${done} of ${own.length})`,
      "",
      "| Item | Requirement | Tests |",
      "| --- | --- | --- |",
    );
    for (const item of own) {
      const places = [...(tests.get(item.id) ?? [])].map((file) => `\`${file}\``).join("<br>");
      lines.push(`| ${item.id} | ${escapeCell(item.text)} | ${places} |`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** Text of a table cell: no column separators, and no HTML. */
function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("{{", "{&#123;");
}
