import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import MiniSearch from "minisearch";
import { TimeSlicer } from "../../core/limits/timeSlicer.ts";

/** A section of a documentation page. */
export interface DocsSection {
  /** Path of the page without extension: `guide/files`. */
  page: string;
  heading: string;
  text: string;
}

export interface DocsIndex {
  /** Returns the sections that fit a query best. */
  search(query: string, limit: number): DocsSection[];
}

/** The parts of the documentation for those who use or run a server. */
const FOLDERS = ["guide", "reference", "deploy", "migrate", "studio"];
/** Sections that are indexed before other work is done. */
const SECTIONS_AT_ONCE = 5;
/** Maximum length of a section in results. */
const MAX_TEXT_LENGTH = 4_000;

/** Reads the Markdown files of the documentation and indexes their sections. */
export async function createDocsIndex(docsDir: string): Promise<DocsIndex> {
  const pages = await Promise.all(FOLDERS.map((folder) => readPages(docsDir, folder)));
  const sections: DocsSection[] = [];
  const slices = new TimeSlicer();
  for (const { page, markdown } of pages.flat()) {
    if (slices.isExpired) await slices.pause();
    sections.push(...sectionsOf(page, markdown));
  }
  const index = new MiniSearch<DocsSection & { id: number }>({
    fields: ["heading", "text", "page"],
    searchOptions: {
      boost: { heading: 3, page: 2 },
      // Pages of every endpoint have all words.
      boostDocument: (id: number) => (sections[id]?.page.endsWith("endpoints") ? 0.3 : 1),
      prefix: true,
      fuzzy: 0.1,
    },
  });
  await index.addAllAsync(
    sections.map((section, id) => ({ id, ...section })),
    { chunkSize: SECTIONS_AT_ONCE },
  );
  return {
    search: (query, limit) =>
      index
        .search(query)
        .slice(0, limit)
        .flatMap(({ id }) => sections[id] ?? []),
  };
}

async function readPages(docsDir: string, folder: string): Promise<{ page: string; markdown: string }[]> {
  const files = await readdir(join(docsDir, folder)).catch(() => []);
  return Promise.all(
    files
      .filter((file) => file.endsWith(".md"))
      .map(async (file) => ({
        page: `${folder}/${file.slice(0, -".md".length)}`,
        markdown: withoutComments(await readFile(join(docsDir, folder, file), "utf8")),
      })),
  );
}

/** Comments are for the tools of the documentation: they have code that readers do not see. */
function withoutComments(markdown: string): string {
  return markdown.replaceAll(/<!--[\s\S]*?-->\n*/g, "");
}

/** Splits a page at its headings, except those within code blocks. */
export function sectionsOf(page: string, markdown: string): DocsSection[] {
  const sections: { heading: string; lines: string[] }[] = [];
  let isCode = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,3} (.+)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ heading, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.flatMap(({ heading, lines }) => {
    const text = lines.join("\n").trim().slice(0, MAX_TEXT_LENGTH);
    return text === "" ? [] : [{ page, heading, text }];
  });
}
