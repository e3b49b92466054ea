import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import MiniSearch from "minisearch";
import { expect, it } from "vitest";
import { searchOptions } from "./.vitepress/search.ts";

const DOCS = resolve(import.meta.dirname, "../../docs");

/** A section of a page, as the site indexes it: its heading, those above it, and its text. */
interface Section {
  id: string;
  title: string;
  titles: string[];
  text: string;
}

const index = new MiniSearch<Section>({ fields: ["title", "titles", "text"], searchOptions });
index.addAll(globSync("**/*.md", { cwd: DOCS }).flatMap((file) => sectionsOf(file)));

function sectionsOf(file: string): Section[] {
  const page = `/${file.replace(/\.md$/, "")}`;
  const sections: Section[] = [];
  const titles: string[] = [];
  let isCode = false;
  const markdown = readFileSync(join(DOCS, file), "utf8").replaceAll(/<!--[\s\S]*?-->/g, "");
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const [, marks = "", title = ""] = (!isCode && /^(#{1,6}) (.+)$/.exec(line)) || [];
    if (title === "") {
      const last = sections.at(-1);
      if (last) last.text += `${line}\n`;
      continue;
    }
    titles.splice(marks.length - 1, Infinity, title);
    const id = `${page}.html#${sections.length}`;
    sections.push({ id, title, titles: titles.slice(0, -1), text: "" });
  }
  return sections;
}

it.each([
  ["class that only its author sees", ["/guide/permissions", "/guide/cookbook"]],
  ["include pointer", ["/guide/objects", "/guide/cookbook", "/guide/queries"]],
  ["count", ["/guide/queries", "/guide/objects", "/guide/cookbook"]],
  ["page through", ["/guide/queries", "/guide/cookbook"]],
  ["reset password", ["/guide/users"]],
  ["link wallet", ["/guide/users", "/guide/wallets"]],
  ["upload from phone", ["/guide/files"]],
  ["run code on a chain event", ["/guide/cookbook", "/guide/streams"]],
  ["back up", ["/deploy/backups-and-upgrades", "/guide/cookbook"]],
  ["move from Parse", ["/migrate/from-parse"]],
])("the search of the site shows a page first that answers %j", (question, pages) => {
  const found = index.search(question).map(({ id }) => String(id).replace(/\.html#.*/, ""));
  expect(pages, found.slice(0, 5).join(" ")).toContain(found[0]);
});
