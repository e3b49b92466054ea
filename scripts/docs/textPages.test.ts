import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { plainMarkdown, titleOf, writeTextPages } from "./.vitepress/textPages.ts";

const folder = mkdtempSync(join(tmpdir(), "purse-text-pages-"));
afterAll(() => rmSync(folder, { recursive: true }));

const PAGE = `---
tryAt: /x
---

# The \`queries\`

<!-- hidden code:
secret();
-->

A query finds [objects](objects.md) of one class. It is fast.

![A grid](../screenshots/grid.webp)

## Conditions
`;

it("plainMarkdown() leaves out frontmatter, comments and pictures", () => {
  expect(plainMarkdown(PAGE)).toBe(
    "# The `queries`\n\nA query finds [objects](objects.md) of one class. It is fast.\n\nA grid\n\n## Conditions\n",
  );
});

it("titleOf() returns the heading of a page as text", () => {
  expect(titleOf(PAGE)).toBe("The queries");
});

it("writeTextPages() writes each page as Markdown, a list of all, and those of some sections in one file", () => {
  const source = join(folder, "source");
  const target = join(folder, "target");
  mkdirSync(join(source, "guide"), { recursive: true });
  mkdirSync(target);
  writeFileSync(join(source, "guide/queries.md"), PAGE);
  writeFileSync(join(source, "other.md"), "# Other\n\nSomething else.\n");
  const sections = [
    { title: "Guide", pages: [{ file: "guide/queries.md", contents: "Conditions" }] },
    { title: "Rest", pages: [{ file: "other.md", contents: "Something" }] },
  ];
  const where = { source, target, base: "/docs/" };
  writeTextPages(where, ["guide/queries.md", "other.md"], sections, ["Guide"]);
  const read = (file: string) => readFileSync(join(target, file), "utf8");
  expect(read("guide/queries.md")).toBe(plainMarkdown(PAGE));
  expect(read("llms.txt")).toMatch(/^# Purse\n\n> .+\n\n## Guide\n/);
  expect(read("llms.txt")).toContain("- [Other](/docs/other.md): Something\n");
  expect(read("llms.txt")).toContain("(/docs/llms-full.txt)");
  expect(read("llms-full.txt")).toContain("A query finds");
  expect(read("llms-full.txt")).not.toContain("Something else");
});
