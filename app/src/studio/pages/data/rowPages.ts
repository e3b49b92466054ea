import type { JsonObject, StudioPage } from "@purse/protocol";
import type { InfiniteData } from "@tanstack/react-query";

/** The pages of a class that are loaded. Rows change in them in place: no page is read again for one of its rows. */
export type RowPages = InfiniteData<StudioPage<JsonObject>>;

export function replaceRow(pages: RowPages, row: JsonObject): RowPages {
  return mapPages(pages, row.objectId, (rows) =>
    rows.map((each) => (each.objectId === row.objectId ? row : each)),
  );
}

/** A row that is new stands first, whatever the order: it is what somebody looks for. */
export function prependRow(pages: RowPages, row: JsonObject): RowPages {
  const [first, ...rest] = pages.pages;
  if (!first) return pages;
  return { ...pages, pages: [{ ...first, results: [row, ...first.results] }, ...rest] };
}

export function removeRow(pages: RowPages, objectId: string): RowPages {
  return mapPages(pages, objectId, (rows) => rows.filter((each) => each.objectId !== objectId));
}

/** The other pages stay the same objects, so that nothing of them is drawn again. */
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

/** A row whose place in the order changes between two pages comes in both. */
export function uniqueRows(pages: RowPages): JsonObject[] {
  const rows = new Map<unknown, JsonObject>();
  for (const { results } of pages.pages) for (const row of results) rows.set(row.objectId, row);
  return [...rows.values()];
}
