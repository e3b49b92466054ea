import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useMemo } from "react";
import type { Column } from "./columns.ts";
import { GUTTER, LINE, type Place, type Spans } from "./place.ts";

type Lines = ReturnType<Virtualizer<HTMLDivElement, Element>["getVirtualItems"]>;

/** Which lines and columns are in sight, or near; the active cell is brought there. */
export function useCells(
  frame: RefObject<HTMLDivElement | null>,
  columns: readonly Column[],
  rows: number,
  active: Place,
): { lines: Lines; spans: Spans } {
  const pinned = useMemo(() => columns.filter(({ isPinned }) => isPinned), [columns]);
  const loose = useMemo(() => columns.filter(({ isPinned }) => !isPinned), [columns]);
  const pinnedWidth = GUTTER + pinned.reduce((sum, { width }) => sum + width, 0);
  const down = useVirtualizer({
    count: rows,
    getScrollElement: () => frame.current,
    estimateSize: () => LINE,
    overscan: 8,
    // The head covers the first line.
    scrollMargin: LINE,
    scrollPaddingStart: LINE,
  });
  const across = useVirtualizer({
    horizontal: true,
    count: loose.length,
    getScrollElement: () => frame.current,
    estimateSize: (i) => loose[i]?.width ?? 0,
    getItemKey: (i) => loose[i]?.name ?? i,
    overscan: 2,
    paddingStart: pinnedWidth,
    scrollPaddingStart: pinnedWidth,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: other columns have other widths.
  useEffect(() => across.measure(), [across, loose]);
  const firstLoose = pinned.length;
  useEffect(() => {
    if (active.row >= 0) down.scrollToIndex(active.row, { align: "auto" });
    if (active.column >= firstLoose) across.scrollToIndex(active.column - firstLoose, { align: "auto" });
  }, [active, firstLoose, down, across]);
  const places = across.getVirtualItems();
  const first = places[0]?.index ?? 0;
  const end = (places.at(-1)?.index ?? -1) + 1;
  const before = (places[0]?.start ?? pinnedWidth) - pinnedWidth;
  const width = across.getTotalSize();
  // The same for as long as the same columns are in sight: rows that stand still are not drawn again.
  const spans = useMemo<Spans>(
    () => ({ pinned, loose: loose.slice(first, end), first: pinned.length + first, before, width }),
    [pinned, loose, first, end, before, width],
  );
  return { lines: down.getVirtualItems(), spans };
}
