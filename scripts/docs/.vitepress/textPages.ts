import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Section {
  title: string;
  /** Their files below the folder of the documentation, such as `guide/queries.md`, and what they have in a few words. */
  pages: readonly { file: string; contents: string }[];
}

/** Larger files are not read at once. */
const MAX_FULL_BYTES = 1_500_000;
const ABOUT =
  "A self-hosted, wallet-ready backend: accounts, data with permissions, live queries, cloud functions, files and indexed EVM chain data. It speaks the Parse protocol and the Moralis v1 API.";

/** The Markdown of a page as readers of text get it: without comments, frontmatter and pictures. */
export function plainMarkdown(source: string): string {
  return source
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .replaceAll(/<!--[\s\S]*?-->\n?/g, "")
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim()
    .concat("\n");
}

/** The title of a page. */
export function titleOf(markdown: string): string {
  return (/^# (.+)$/m.exec(markdown)?.[1] ?? "Purse").replaceAll("`", "");
}

/**
 * Writes what programs read beside the pages: each page as Markdown, a list of all pages by the convention of llms.txt, and the
 * pages of the sections `full` in one file.
 */
export function writeTextPages(
  { source, target, base }: { source: string; target: string; base: string },
  files: readonly string[],
  sections: readonly Section[],
  full: readonly string[],
): void {
  const texts = new Map(files.map((file) => [file, plainMarkdown(readFileSync(join(source, file), "utf8"))]));
  const home = [`# Purse`, `> ${ABOUT}`];
  const lists = sections.map(({ title, pages }) => {
    const lines = pages.map(
      ({ file, contents }) => `- [${titleOf(texts.get(file) ?? "")}](${base}${file}): ${contents}`,
    );
    return `## ${title}\n\n${lines.join("\n")}`;
  });
  texts.set("index.md", `${[...home, ...lists].join("\n\n")}\n`);
  for (const [file, text] of texts) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    writeFileSync(join(target, file), text);
  }
  const whole = sections
    .filter(({ title }) => full.includes(title))
    .flatMap(({ pages }) => pages)
    .map(({ file }) => texts.get(file) ?? "")
    .join("\n");
  const hasFull = Buffer.byteLength(whole) <= MAX_FULL_BYTES;
  const more = hasFull ? [`## Optional\n\n- [All pages for users and operators](${base}llms-full.txt)`] : [];
  writeFileSync(join(target, "llms.txt"), `${[...home, ...lists, ...more].join("\n\n")}\n`);
  if (hasFull) writeFileSync(join(target, "llms-full.txt"), `${home.join("\n\n")}\n\n${whole}`);
}
