import { expect, it } from "vitest";
import { filesOf, programsOf, snippetPage, snippetPages } from "./snippets.ts";

it("a block runs after the code that readers do not see, unless a comment says that it is a file or does not run", () => {
  const page = snippetPage(
    "page.md",
    `# Title

<!-- hidden code:
const note = 1;
-->

\`\`\`ts
show(note);
\`\`\`

<!-- file: cloud/main.ts -->

\`\`\`ts
define();
\`\`\`

<!-- not run: needs a phone -->

\`\`\`sh
call
\`\`\`

\`\`\`json
{}
\`\`\`
`,
  );
  expect(programsOf(page, "program")).toEqual([
    { language: "ts", code: "const note = 1;\nshow(note);\n", line: 7 },
  ]);
  expect([...filesOf(page)]).toEqual([["cloud/main.ts", "define();\n"]]);
  expect(page.snippets.map(({ use }) => use.kind)).toEqual(["program", "file", "none", "none"]);
});

it("the blocks of a page that says so are one program for each language", () => {
  const page = snippetPage(
    "page.md",
    "<!-- snippets: one program -->\n\n```ts\na();\n```\n\n```sh\nls\n```\n\n```ts\nb();\n```\n",
  );
  expect(programsOf(page, "program").map(({ code }) => code)).toEqual(["a();\nb();\n", "ls\n"]);
});

it("a comment before a block that is not understood is an error with its place", () => {
  expect(() => snippetPage("page.md", "<!-- skip -->\n\n```ts\na();\n```\n")).toThrow(
    'page.md:3: "skip" before a code block is not known',
  );
});

it("each block of the pages for users runs, compiles or says why it does not", () => {
  const pages = snippetPages();
  expect(pages.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["README.md", "docs/guide/client.md", "docs/migrate/from-parse.md"]),
  );
  for (const { path, snippets } of pages)
    for (const { use, line } of snippets)
      if ("reason" in use) expect(use.reason, `${path}:${line}`).toMatch(/^\w[^.]{5,}$/);
});
