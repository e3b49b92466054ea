import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { createDocsIndex, sectionsOf } from "./docsIndex.ts";

describe("sectionsOf()", () => {
  it("splits a page at its headings, except in code", () => {
    const markdown =
      "# Files\n\nIntro.\n\n## Upload\n\n```sh\n# not a heading\n```\n\n### Empty\n\n#### Deep\ntext";
    expect(sectionsOf("guide/files", markdown)).toEqual([
      { page: "guide/files", heading: "Files", text: "Intro." },
      { page: "guide/files", heading: "Upload", text: "```sh\n# not a heading\n```" },
      { page: "guide/files", heading: "Empty", text: "#### Deep\ntext" },
    ]);
  });
});

describe("createDocsIndex()", () => {
  it("finds the sections that match a query best", async () => {
    const index = await createDocsIndex(resolve(import.meta.dirname, "../../../../../docs"));
    const [first] = index.search("access token AI tools", 3);
    expect(first?.page).toMatch(/^guide\/mcp$|^studio\/index$/);
    expect(index.search("backup restore", 2)).toHaveLength(2);
  });

  it("leaves out comments, such as code that readers do not see", async () => {
    const index = await createDocsIndex(resolve(import.meta.dirname, "../../../../../docs"));
    const texts = index.search("cookbook include pointer count", 50).map(({ text }) => text);
    expect(texts.join("\n")).not.toContain("<!--");
  });

  it("is empty if the folder does not exist", async () => {
    const index = await createDocsIndex("/nonexistent");
    expect(index.search("backup", 5)).toEqual([]);
  });
});
