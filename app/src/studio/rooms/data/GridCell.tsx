import type { JsonValue } from "@purse/protocol";
import { memo, type ReactNode } from "react";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { Column } from "./columns.ts";
import { cellId } from "./place.ts";
import { aclInWords, shown } from "./value.ts";

export interface GridCellProps {
  grid: string;
  column: Column;
  row: number;
  place: number;
  /** Where it stays in sight, in pixels; undefined where it does not. */
  left: number | undefined;
  value: JsonValue | undefined;
  refused: { text: string; why: string } | undefined;
  isChanged: boolean;
  isActive: boolean;
  isSelected: boolean;
  /** What is typed in its place. */
  editor: ReactNode;
}

/** Drawn again only where something of its own has changed: columns that stay in sight stay as they are. */
export const GridCell = memo(function GridCell(props: GridCellProps) {
  const { grid, column, row, place, left, value, refused, isChanged, isActive, isSelected, editor } = props;
  const said = refused ? refused.text : column.type === "ACL" ? aclInWords(value) : shown(value);
  const isEdited = editor !== undefined;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and says which cell is active.
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out what is not in sight.
    <div
      id={cellId(grid, { row, column: place })}
      role="gridcell"
      aria-colindex={place + 2}
      aria-selected={isSelected}
      aria-invalid={refused !== undefined || undefined}
      className="grid-cell"
      data-place={`${row}/${place}`}
      data-pinned={column.isPinned || undefined}
      data-type={column.type}
      data-active={isActive || undefined}
      data-changed={isChanged || refused !== undefined || undefined}
      style={left === undefined ? { width: column.width } : { width: column.width, left }}
      title={isEdited ? undefined : refused ? refused.why : said}
    >
      {isEdited ? editor : said === "" ? <span className="soft">—</span> : <bdi>{said}</bdi>}
      {refused ? <span className="visually-hidden">{refused.why}</span> : isChanged && <Unsaved />}
    </div>
  );
});

function Unsaved() {
  const { t } = useTranslation();
  return <span className="visually-hidden">{t("not saved yet")}</span>;
}
