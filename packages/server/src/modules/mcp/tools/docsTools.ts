import { z } from "zod";
import { ownTurn } from "../../../core/limits/timeSlicer.ts";
import { createDocsIndex, type DocsIndex } from "../docsIndex.ts";
import { defineTool, type McpTool } from "../tool.ts";

export interface DocsToolDependencies {
  /** The folder of the documentation's Markdown files; undefined if there is none. */
  docsDir: string | undefined;
}

/** The tool that searches the documentation. */
export function docsTools({ docsDir }: DocsToolDependencies): McpTool[] {
  if (docsDir === undefined) return [];
  let opening: Promise<DocsIndex> | undefined;
  return [
    defineTool({
      name: "search_docs",
      title: "Search documentation",
      description: "Searches the documentation of this server and returns the sections that fit best.",
      input: z.object({
        query: z.string().min(1).max(200),
        limit: z.int().min(1).max(10).default(5),
      }),
      target: (args) => args.query,
      async run({ query, limit }) {
        opening ??= createDocsIndex(docsDir);
        const index = await opening;
        await ownTurn();
        return { sections: index.search(query, limit).map((section) => ({ ...section })) };
      },
    }),
  ];
}
