import type { JsonObject } from "@purse/protocol";
import type { StudioPage } from "@purse/server/studio-api";
import type { InfiniteData } from "@tanstack/react-query";

/** Loaded pages of a class. Rows are updated in place without refetching pages. */
export type RowPages = InfiniteData<StudioPage<JsonObject>>;

export function replaceRow(pages: RowPages, row: JsonObject): RowPages {
  return mapPages(pages, row.objectId, (rows) =>
    rows.map((each) => (each.objectId === row.objectId ? row : each)),
  );
}

/** New rows are placed first, regardless of the sort order. */
export function prependRow(pages: RowPages, row: JsonObject): RowPages {
  const [first, ...rest] = pages.pages;
  if (!first) return pages;
  return { ...pages, pages: [{ ...first, results: [row, ...first.results] }, ...rest] };
}

export function removeRow(pages: RowPages, objectId: string): RowPages {
  return mapPages(pages, objectId, (rows) => rows.filter((each) => each.objectId !== objectId));
}

/** Unaffected pages keep their identity, so that they do not re-render. */
function mapPages(
  pages: RowPages,
  objectId: unknown,
  change: (rows: JsonObject[]) => JsonObject[],
): RowPages {
  return {
    ...pages,
    pages: pages.pages.map((page) =>
      page.results.some((row) => row.objectId === objectId)
        ? { ...page, results: change(page.results) }
        : page,
    ),
  };
}

/** Removes duplicates: a row that moves between two requests is returned twice. */
export function uniqueRows(pages: RowPages): JsonObject[] {
  const rows = new Map<unknown, JsonObject>();
  for (const { results } of pages.pages) for (const row of results) rows.set(row.objectId, row);
  return [...rows.values()];
}
