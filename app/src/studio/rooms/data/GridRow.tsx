import type { JsonObject } from "@purse/protocol";
import { Maximize2 } from "lucide-react";
import { memo, type ReactNode } from "react";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { Column } from "./columns.ts";
import type { Draft } from "./drafts.ts";
import { GridCell } from "./GridCell.tsx";
import { GUTTER, type Spans } from "./place.ts";

export interface GridRowProps {
  grid: string;
  row: JsonObject;
  index: number;
  top: number;
  spans: Spans;
  draft: Draft | undefined;
  isFlashing: boolean;
  isPicked: boolean;
  /** The column of the active cell, where it is in this row. */
  active: number | undefined;
  /** The columns that are selected, where there are any in this row. */
  from: number | undefined;
  to: number | undefined;
  /** What is typed in the place of a cell of this row. */
  edited: number | undefined;
  editor: ReactNode;
}

/** Drawn again only where something of its own has changed: the others stand still while one scrolls. */
export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { grid, row, index, top, spans, draft, isFlashing, isPicked, active, from, to, edited, editor } =
    props;
  const id = String(row.objectId);
  let left = GUTTER;
  const cell = (column: Column, place: number) => {
    const { name } = column;
    const isChanged = draft !== undefined && Object.hasOwn(draft.changes, name);
    const at = column.isPinned ? left : undefined;
    if (column.isPinned) left += column.width;
    return (
      <GridCell
        key={name}
        {...{ grid, column, place }}
        row={index}
        left={at}
        value={isChanged ? draft.changes[name] : row[name]}
        refused={draft?.refused?.[name]}
        isChanged={isChanged}
        isActive={active === place}
        isSelected={from !== undefined && to !== undefined && place >= from && place <= to}
        editor={edited === place ? editor : undefined}
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
      data-picked={isPicked || undefined}
      style={{ transform: `translateY(${top}px)`, width: spans.width }}
    >
      <Gutter id={id} index={index} isPicked={isPicked} />
      {spans.pinned.map(cell)}
      <span className="grid-gap" style={{ width: spans.before }} />
      {spans.loose.map((column, i) => cell(column, spans.first + i))}
    </div>
  );
});

/** Before the cells: the box that picks the row, and the way to open it. */
const Gutter = memo(function Gutter({
  id,
  index,
  isPicked,
}: {
  id: string;
  index: number;
  isPicked: boolean;
}) {
  const { t } = useTranslation();
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: as above.
    // biome-ignore lint/a11y/useSemanticElements: as above.
    <div role="gridcell" aria-colindex={1} className="grid-gutter">
      <input
        type="checkbox"
        tabIndex={-1}
        checked={isPicked}
        readOnly
        data-pick={index}
        aria-label={t("Pick {id}", { id })}
      />
      <button type="button" tabIndex={-1} data-open={index} aria-label={t("Open {id}", { id })}>
        <Maximize2 size={13} aria-hidden="true" />
      </button>
    </div>
  );
});
