import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useMemo } from "react";
import { type CellPosition, GUTTER_WIDTH, ROW_HEIGHT, type Spans } from "./cellPosition.ts";
import type { Column } from "./columns.ts";

type VirtualRows = ReturnType<Virtualizer<HTMLDivElement, Element>["getVirtualItems"]>;

/** Virtualizes rows and columns and scrolls the active cell into view. */
export function useVirtualCells(
  frame: RefObject<HTMLDivElement | null>,
  columns: readonly Column[],
  rows: number,
  active: CellPosition,
): { visibleRows: VirtualRows; spans: Spans } {
  const pinned = useMemo(() => columns.filter(({ isPinned }) => isPinned), [columns]);
  const unpinned = useMemo(() => columns.filter(({ isPinned }) => !isPinned), [columns]);
  const pinnedWidth = GUTTER_WIDTH + pinned.reduce((sum, { width }) => sum + width, 0);
  const rowVirtualizer = useVirtualizer({
    count: rows,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    // The header covers the first row.
    scrollMargin: ROW_HEIGHT,
    scrollPaddingStart: ROW_HEIGHT,
  });
  const columnVirtualizer = useVirtualizer({
    horizontal: true,
    count: unpinned.length,
    getScrollElement: () => frame.current,
    estimateSize: (i) => unpinned[i]?.width ?? 0,
    getItemKey: (i) => unpinned[i]?.name ?? i,
    overscan: 2,
    paddingStart: pinnedWidth,
    scrollPaddingStart: pinnedWidth,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: other columns have other widths.
  useEffect(() => columnVirtualizer.measure(), [columnVirtualizer, unpinned]);
  const firstUnpinned = pinned.length;
  useEffect(() => {
    if (active.row >= 0) rowVirtualizer.scrollToIndex(active.row, { align: "auto" });
    if (active.column >= firstUnpinned)
      columnVirtualizer.scrollToIndex(active.column - firstUnpinned, { align: "auto" });
  }, [active, firstUnpinned, rowVirtualizer, columnVirtualizer]);
  const visibleColumns = columnVirtualizer.getVirtualItems();
  const first = visibleColumns[0]?.index ?? 0;
  const end = (visibleColumns.at(-1)?.index ?? -1) + 1;
  const leadingWidth = (visibleColumns[0]?.start ?? pinnedWidth) - pinnedWidth;
  const width = columnVirtualizer.getTotalSize();
  // Memoized, so that unchanged rows do not re-render.
  const spans = useMemo<Spans>(
    () => ({
      pinned,
      unpinned: unpinned.slice(first, end),
      firstIndex: pinned.length + first,
      leadingWidth,
      width,
    }),
    [pinned, unpinned, first, end, leadingWidth, width],
  );
  return { visibleRows: rowVirtualizer.getVirtualItems(), spans };
}
