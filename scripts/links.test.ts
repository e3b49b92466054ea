import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { linkProblems } from "./links.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "purse-links-"));
  write("docs/guide/files.md", "# Files\n\n## Where they are\n");
  write("docs/index.md", "# Home\n");
  write("packages/server/src/index.ts", "");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function problemsOf(text: string): string[] {
  write("docs/page.md", text);
  return linkProblems("docs/page.md", root);
}

it("linkProblems() accepts links to pages, headings and folders, and paths that exist", () => {
  expect(
    problemsOf(
      "[a](guide/files.md) [b](guide/files.md#where-they-are) [c](/guide/files) [d](https://example.org) `packages/server/src`",
    ),
  ).toEqual([]);
});

it("linkProblems() reports a page, a heading, a picture and a path that do not exist, with their lines", () => {
  expect(
    problemsOf(
      '[a](guide/gone.md)\n[b](guide/files.md#gone)\n<img src="gone.webp" />\n`packages/server/src/gone.ts`\n',
    ),
  ).toEqual([
    "docs/page.md:1: guide/gone.md leads nowhere",
    "docs/page.md:2: guide/files.md#gone: there is no such heading",
    "docs/page.md:3: gone.webp leads nowhere",
    "docs/page.md:4: there is no packages/server/src/gone.ts",
  ]);
});

it("linkProblems() reports links out of the folder that the site serves", () => {
  write("SECURITY.md", "# Security\n");
  expect(problemsOf("[a](../SECURITY.md)")).toEqual([
    "docs/page.md:1: ../SECURITY.md leads out of docs/, which the site does not serve",
  ]);
});

it("linkProblems() ignores code blocks", () => {
  expect(problemsOf("```md\n[a](gone.md)\n```\n")).toEqual([]);
});
