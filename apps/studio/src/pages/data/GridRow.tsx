import { type JsonObject, ownValue } from "@purse/protocol";
import { useTranslation } from "@purse/ui";
import { Maximize2 } from "lucide-react";
import { memo, type ReactNode } from "react";
import { GUTTER_WIDTH, type Spans } from "./cellPosition.ts";
import type { Column } from "./columns.ts";
import type { Draft } from "./drafts.ts";
import { GridCell } from "./GridCell.tsx";

export interface GridRowProps {
  grid: string;
  row: JsonObject;
  index: number;
  top: number;
  spans: Spans;
  draft: Draft | undefined;
  isFlashing: boolean;
  isChecked: boolean;
  /** Column of the active cell, if it is in this row. */
  active: number | undefined;
  /** Selected column range, if this row is selected. */
  from: number | undefined;
  to: number | undefined;
  /** Column being edited in this row. */
  editedColumn: number | undefined;
  editor: ReactNode;
}

/** Memoized, so that unchanged rows do not re-render while scrolling. */
export const GridRow = memo(function GridRow(props: GridRowProps) {
  const {
    grid,
    row,
    index,
    top,
    spans,
    draft,
    isFlashing,
    isChecked,
    active,
    from,
    to,
    editedColumn,
    editor,
  } = props;
  const id = String(row.objectId);
  let left = GUTTER_WIDTH;
  const renderCell = (column: Column, columnIndex: number) => {
    const { name } = column;
    const isChanged = draft !== undefined && Object.hasOwn(draft.changes, name);
    const stickyLeft = column.isPinned ? left : undefined;
    if (column.isPinned) left += column.width;
    return (
      <GridCell
        key={name}
        {...{ grid, column, columnIndex }}
        row={index}
        left={stickyLeft}
        value={isChanged ? draft.changes[name] : ownValue(row, name)}
        invalid={draft?.invalid && ownValue(draft.invalid, name)}
        isChanged={isChanged}
        isActive={active === columnIndex}
        isSelected={from !== undefined && to !== undefined && columnIndex >= from && columnIndex <= to}
        editor={editedColumn === columnIndex ? editor : undefined}
      />
    );
  };
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and says which cell is active.
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out what is not in sight.
    <div
      role="row"
      aria-rowindex={index + 2}
      className="grid-row"
      data-flashing={isFlashing || undefined}
      data-checked={isChecked || undefined}
      style={{ transform: `translateY(${top}px)`, width: spans.width }}
    >
      <Gutter id={id} index={index} isChecked={isChecked} />
      {spans.pinned.map(renderCell)}
      <span className="grid-gap" style={{ width: spans.leadingWidth }} />
      {spans.unpinned.map((column, i) => renderCell(column, spans.firstIndex + i))}
    </div>
  );
});

/** Checkbox and open button of a row. */
const Gutter = memo(function Gutter({
  id,
  index,
  isChecked,
}: {
  id: string;
  index: number;
  isChecked: boolean;
}) {
  const { t } = useTranslation();
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: as above.
    // biome-ignore lint/a11y/useSemanticElements: as above.
    <div role="gridcell" aria-colindex={1} className="grid-gutter">
      <input
        type="checkbox"
        tabIndex={-1}
        checked={isChecked}
        readOnly
        data-pick={index}
        aria-label={t("Select {id}", { id })}
      />
      <button type="button" tabIndex={-1} data-open={index} aria-label={t("Open {id}", { id })}>
        <Maximize2 size={13} aria-hidden="true" />
      </button>
    </div>
  );
});
