import type { CellPosition } from "./cellPosition.ts";

/** A rectangle of cells; both ends are in it. */
export interface Range {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/** What lies between the cell where a selection began and the one that is active. The head is never in it. */
export function rangeOf(anchor: CellPosition, active: CellPosition): Range {
  return {
    top: Math.max(0, Math.min(anchor.row, active.row)),
    bottom: Math.max(anchor.row, active.row),
    left: Math.min(anchor.column, active.column),
    right: Math.max(anchor.column, active.column),
  };
}
