import type { Column } from "./columns.ts";

/** A cell position among visible columns; row -1 is the header. */
export interface CellPosition {
  row: number;
  column: number;
}

/** The rendered columns: pinned ones, and visible unpinned ones after `leadingWidth` px. */
export interface Spans {
  pinned: readonly Column[];
  unpinned: readonly Column[];
  /** Index of the first `unpinned` column among all. */
  firstIndex: number;
  leadingWidth: number;
  /** Width of all columns and the gutter, in px. */
  width: number;
}

/** Row height, in px. */
export const ROW_HEIGHT = 34;
/** Width of the gutter with checkbox and open button, in px. */
export const GUTTER_WIDTH = 64;

/** DOM id of a cell. */
export function cellId(grid: string, { row, column }: CellPosition): string {
  return `${grid}-${row}-${column}`;
}

/** The cell position of an event target. */
export function cellAt(target: EventTarget | null): CellPosition | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-place]") : null;
  const [row, column] = (cell?.dataset.place ?? "").split("/").map(Number);
  return row === undefined || column === undefined ? undefined : { row, column };
}
