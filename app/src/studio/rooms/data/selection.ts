import type { Place } from "./place.ts";

/** A rectangle of cells; both ends are in it. */
export interface Range {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/** What lies between the cell where a selection began and the one that is active. The head is never in it. */
export function rangeOf(anchor: Place, active: Place): Range {
  return {
    top: Math.max(0, Math.min(anchor.row, active.row)),
    bottom: Math.max(anchor.row, active.row),
    left: Math.min(anchor.column, active.column),
    right: Math.max(anchor.column, active.column),
  };
}

export function sizeOf({ top, bottom, left, right }: Range): number {
  return Math.max(0, bottom - top + 1) * (right - left + 1);
}

export function holds({ top, bottom, left, right }: Range, { row, column }: Place): boolean {
  return row >= top && row <= bottom && column >= left && column <= right;
}
