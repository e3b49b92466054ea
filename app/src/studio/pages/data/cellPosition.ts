import type { Column } from "./columns.ts";

/** A cell by its place among all that are shown; row -1 is the head. */
export interface CellPosition {
  row: number;
  column: number;
}

/** The columns that are drawn: pinned ones, and those in sight after a gap of `before` pixels. */
export interface Spans {
  pinned: readonly Column[];
  unpinned: readonly Column[];
  /** The place of the first of `loose` among all. */
  firstIndex: number;
  leadingWidth: number;
  /** Of all columns with the gutter, in pixels. */
  width: number;
}

/** Height of a line, in pixels. */
export const ROW_HEIGHT = 34;
/** Width of what stands before each row: a box to pick it, and a way to open it. */
export const GUTTER_WIDTH = 64;

/** What marks the cells of the document, so that one listener serves all of them. */
export function cellId(grid: string, { row, column }: CellPosition): string {
  return `${grid}-${row}-${column}`;
}

/** The cell that something of the document lies in. */
export function cellAt(target: EventTarget | null): CellPosition | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-place]") : null;
  const [row, column] = (cell?.dataset.place ?? "").split("/").map(Number);
  return row === undefined || column === undefined ? undefined : { row, column };
}
