import type { CellPosition } from "./cellPosition.ts";

/** A rectangle of cells, inclusive. */
export interface Range {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/** The range between anchor and active cell, without the header. */
export function rangeOf(anchor: CellPosition, active: CellPosition): Range {
  return {
    top: Math.max(0, Math.min(anchor.row, active.row)),
    bottom: Math.max(anchor.row, active.row),
    left: Math.min(anchor.column, active.column),
    right: Math.max(anchor.column, active.column),
  };
}
