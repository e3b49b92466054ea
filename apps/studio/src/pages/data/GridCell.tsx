import type { JsonValue } from "@purse/protocol";
import { describeAcl, displayText, formatDate, useTranslation } from "@purse/ui";
import { memo, type ReactNode } from "react";
import { cellId } from "./cellPosition.ts";
import type { Column } from "./columns.ts";

export interface GridCellProps {
  grid: string;
  column: Column;
  row: number;
  columnIndex: number;
  /** Sticky offset of a pinned cell, in px; undefined if not pinned. */
  left: number | undefined;
  value: JsonValue | undefined;
  invalid: { text: string; reason: string } | undefined;
  isChanged: boolean;
  isActive: boolean;
  isSelected: boolean;
  /** The inline editor, while editing. */
  editor: ReactNode;
}

/** Memoized, so that unchanged cells do not re-render. */
export const GridCell = memo(function GridCell(props: GridCellProps) {
  const { grid, column, row, columnIndex, left, value, invalid, isChanged, isActive, isSelected, editor } =
    props;
  const { t, language } = useTranslation();
  const exact = column.type === "ACL" ? describeAcl(value) : displayText(value);
  const text = invalid ? invalid.text : column.type === "Date" ? readableDate(exact, language) : exact;
  const isEdited = editor !== undefined;
  const problem = invalid?.reason ?? "";
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and says which cell is active.
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out what is not in sight.
    <div
      id={cellId(grid, { row, column: columnIndex })}
      role="gridcell"
      aria-colindex={columnIndex + 2}
      aria-selected={isSelected}
      aria-invalid={invalid !== undefined || undefined}
      className="grid-cell"
      data-place={`${row}/${columnIndex}`}
      data-pinned={column.isPinned || undefined}
      data-type={column.type}
      data-active={isActive || undefined}
      data-changed={isChanged || invalid !== undefined || undefined}
      style={left === undefined ? { width: column.width } : { width: column.width, left }}
      title={isEdited ? undefined : invalid ? t(problem) : exact}
    >
      {isEdited ? editor : text === "" ? <span className="soft">—</span> : <bdi>{text}</bdi>}
      {invalid ? <span className="visually-hidden">{t(problem)}</span> : isChanged && <Unsaved />}
    </div>
  );
});

function Unsaved() {
  const { t } = useTranslation();
  return <span className="visually-hidden">{t("not saved yet")}</span>;
}

/** A date in the format of the language, with seconds; other texts as they are. */
function readableDate(text: string, language: string): string {
  return text === "" ? text : formatDate(text, language);
}
