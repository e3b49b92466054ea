import type { Column } from "./columns.ts";

/** A cell by its place among all that are shown; row -1 is the head. */
export interface Place {
  row: number;
  column: number;
}

/** The columns that are drawn: pinned ones, and those in sight after a gap of `before` pixels. */
export interface Spans {
  pinned: readonly Column[];
  loose: readonly Column[];
  /** The place of the first of `loose` among all. */
  first: number;
  before: number;
  /** Of all columns, in pixels. */
  width: number;
}
