import type { KeyboardEvent } from "react";
import type { CellPosition } from "./cellPosition.ts";

/** The action of a key in the grid. */
export type GridAction =
  | { do: "go"; to: CellPosition; extends: boolean }
  | { do: "edit"; initialText?: string }
  | { do: "sort"; isAdditive: boolean }
  | { do: "moveColumn"; by: 1 | -1 }
  | { do: "pin" | "hide" | "filter" | "pick" | "open" | "all" | "single" | "clear" | "undo" | "revert" };

export interface GridState {
  active: CellPosition;
  rows: number;
  columns: number;
  /** Number of visible rows. */
  page: number;
}

/**
 * Arrow keys move, with Shift they select and with Ctrl they jump to the end; characters start editing. In the header Enter
 * sorts, F filters, P pins, H hides and Ctrl+Shift with an arrow moves the column.
 */
export function actionForKey(
  event: Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">,
  { active: { row, column }, rows, columns, page }: GridState,
): GridAction | undefined {
  if (event.altKey) return undefined;
  const hasModifier = event.ctrlKey || event.metaKey;
  const { key, shiftKey } = event;
  const isHeader = row < 0;
  if (isHeader && hasModifier && shiftKey && (key === "ArrowLeft" || key === "ArrowRight"))
    return { do: "moveColumn", by: key === "ArrowLeft" ? -1 : 1 };
  const to = target();
  if (to) {
    const clamped: CellPosition = {
      // The header can be active, but not selected.
      row: Math.min(rows - 1, Math.max(shiftKey ? 0 : -1, to.row)),
      column: Math.min(columns - 1, Math.max(0, to.column)),
    };
    return { do: "go", to: clamped, extends: shiftKey && !isHeader };
  }
  if (hasModifier) {
    if (shiftKey) return undefined;
    if (key === "Backspace") return { do: "revert" };
    return key.toLowerCase() === "a" ? { do: "all" } : key.toLowerCase() === "z" ? { do: "undo" } : undefined;
  }
  if (key === "Enter" || key === "F2")
    return isHeader
      ? { do: "sort", isAdditive: shiftKey }
      : key === "Enter" && shiftKey
        ? { do: "open" }
        : { do: "edit" };
  if (key === "Escape") return { do: "single" };
  if (key === "Delete" || key === "Backspace") return isHeader ? undefined : { do: "clear" };
  if (key === " ") return isHeader ? undefined : { do: shiftKey ? "pick" : "open" };
  if (key.length !== 1) return undefined;
  if (!isHeader) return { do: "edit", initialText: key };
  if (key === "f" || key === "F") return { do: "filter" };
  if (key === "p" || key === "P") return { do: "pin" };
  return key === "h" || key === "H" ? { do: "hide" } : undefined;

  function target(): CellPosition | undefined {
    const targets: Readonly<Record<string, CellPosition>> = {
      ArrowDown: { row: hasModifier ? rows : row + 1, column },
      ArrowUp: { row: hasModifier ? 0 : row - 1, column },
      ArrowRight: { row, column: hasModifier ? columns : column + 1 },
      ArrowLeft: { row, column: hasModifier ? 0 : column - 1 },
      PageDown: { row: row + page, column },
      PageUp: { row: row - page, column },
      Home: { row: hasModifier ? 0 : row, column: 0 },
      End: { row: hasModifier ? rows : row, column: columns },
    };
    return targets[key];
  }
}
