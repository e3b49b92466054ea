import { type Filter, useTranslation } from "@purse/ui";
import { ArrowDown, ArrowUp, ListFilter } from "lucide-react";
import { type PointerEvent, useRef, useState } from "react";
import { type CellPosition, cellId, GUTTER_WIDTH, type Spans } from "./cellPosition.ts";
import type { Column } from "./columns.ts";
import { QuickFilter } from "./QuickFilter.tsx";
import { hasQuickFilter, quickFilterText, withQuickFilter } from "./quickFilter.ts";
import { parseSorts } from "./searchParams.ts";

/** Distance in px from which a press becomes a drag. */
const DRAG_THRESHOLD_PX = 6;

export interface GridHeadProps {
  grid: string;
  active: CellPosition;
  columns: readonly Column[];
  order: string | undefined;
  spans: Spans;
  isAllChecked: boolean;
  onToggleAll: () => void;
  onSort: (field: string, isAdditive: boolean) => void;
  onResize: (field: string, width: number) => void;
  /** Moves a column to the position of another. */
  onMoveColumn: (field: string, to: string) => void;
  onActive: (columnIndex: CellPosition) => void;
  filters: readonly Filter[];
  onFilter: (filters: Filter[]) => void;
  /** Name of the column whose quick filter is open. */
  filteredColumn: string | undefined;
  onFilteredColumn: (name: string | undefined) => void;
}

/** Column headers: click sorts, drag moves, edges resize, the icon filters. */
export function GridHead(props: GridHeadProps) {
  const { grid, active, columns, order, spans, isAllChecked, onToggleAll, onSort, onResize, onActive } =
    props;
  const { t } = useTranslation();
  const sorts = parseSorts(order, new Set(columns.map(({ name }) => name)));
  const [dropTarget, setDropTarget] = useState<string | undefined>(undefined);
  const wasDragged = useRef(false);

  function startDrag(event: PointerEvent<HTMLButtonElement>, name: string): void {
    wasDragged.current = false;
    if (event.button !== 0 || event.pointerType === "touch") return;
    const { currentTarget: button, pointerId, clientX: from } = event;
    let target: string | undefined;
    const move = ({ clientX, clientY }: globalThis.PointerEvent) => {
      if (!wasDragged.current && Math.abs(clientX - from) < DRAG_THRESHOLD_PX) return;
      wasDragged.current = true;
      const hovered = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>("[data-column]");
      target = hovered?.dataset.column;
      setDropTarget(target === name ? undefined : target);
    };
    const end = () => {
      button.removeEventListener("pointermove", move);
      setDropTarget(undefined);
      if (wasDragged.current && target !== undefined && target !== name) props.onMoveColumn(name, target);
    };
    button.setPointerCapture(pointerId);
    button.addEventListener("pointermove", move);
    button.addEventListener("lostpointercapture", end, { once: true });
  }

  let left = GUTTER_WIDTH;
  const renderHeader = (column: Column, columnIndex: number) => {
    const sortIndex = sorts.findIndex(({ field }) => field === column.name);
    const sort = sorts[sortIndex];
    const stickyStyle = column.isPinned ? { left } : {};
    if (column.isPinned) left += column.width;
    const filterText = quickFilterText(props.filters, column);
    if (props.filteredColumn === column.name) {
      return (
        // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and says which cell is active.
        // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out what is not in sight.
        <div
          key={column.name}
          id={cellId(grid, { row: -1, column: columnIndex })}
          role="columnheader"
          aria-colindex={columnIndex + 2}
          className="grid-cell grid-name"
          data-pinned={column.isPinned || undefined}
          style={{ width: column.width, ...stickyStyle }}
        >
          <QuickFilter
            column={column}
            initialText={filterText}
            onCancel={() => props.onFilteredColumn(undefined)}
            onDone={(parsed) => {
              props.onFilteredColumn(undefined);
              if ("filter" in parsed) props.onFilter(withQuickFilter(props.filters, column, parsed.filter));
            }}
          />
        </div>
      );
    }
    return (
      // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and says which cell is active.
      // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out what is not in sight.
      <div
        key={column.name}
        id={cellId(grid, { row: -1, column: columnIndex })}
        role="columnheader"
        aria-colindex={columnIndex + 2}
        aria-sort={sort && (sort.isDescending ? "descending" : "ascending")}
        className="grid-cell grid-name"
        data-column={column.name}
        data-drop={dropTarget === column.name || undefined}
        data-pinned={column.isPinned || undefined}
        data-active={(active.row === -1 && active.column === columnIndex) || undefined}
        style={{ width: column.width, ...stickyStyle }}
        onContextMenu={() => onActive({ row: -1, column: columnIndex })}
      >
        <button
          type="button"
          tabIndex={-1}
          title={t("Sort by {name} (Shift: add to sort order)", { name: column.name })}
          onPointerDown={(event) => startDrag(event, column.name)}
          onClick={(event) => {
            if (wasDragged.current) return;
            onActive({ row: -1, column: columnIndex });
            onSort(column.name, event.shiftKey);
          }}
        >
          <bdi>{column.name}</bdi>
          <span className="grid-type">{column.targetClass ?? column.type}</span>
          {sort &&
            (sort.isDescending ? (
              <ArrowDown size={14} aria-hidden="true" />
            ) : (
              <ArrowUp size={14} aria-hidden="true" />
            ))}
          {sorts.length > 1 && sort && <span className="grid-rank">{sortIndex + 1}</span>}
        </button>
        {hasQuickFilter(column) && (
          <button
            type="button"
            tabIndex={-1}
            className="grid-filter-button"
            data-on={filterText !== "" || undefined}
            aria-label={t("Filter by {name}", { name: column.name })}
            title={filterText === "" ? t("Filter by {name}", { name: column.name }) : filterText}
            onClick={() => {
              onActive({ row: -1, column: columnIndex });
              props.onFilteredColumn(column.name);
            }}
          >
            <ListFilter size={13} aria-hidden="true" />
          </button>
        )}
        <ResizeHandle column={column} onResize={onResize} />
      </div>
    );
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above.
    <div role="rowgroup" className="grid-head" style={{ width: spans.width }}>
      {/* biome-ignore lint/a11y/useFocusableInteractive: as above. */}
      {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
      <div role="row" aria-rowindex={1} className="grid-row">
        {/* biome-ignore lint/a11y/useFocusableInteractive: as above. */}
        {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
        <div role="columnheader" aria-colindex={1} className="grid-gutter">
          <input
            type="checkbox"
            tabIndex={-1}
            checked={isAllChecked}
            onChange={onToggleAll}
            aria-label={t("Select all loaded rows")}
          />
        </div>
        {spans.pinned.map(renderHeader)}
        <span className="grid-gap" style={{ width: spans.leadingWidth }} />
        {spans.unpinned.map((column, i) => renderHeader(column, spans.firstIndex + i))}
      </div>
    </div>
  );
}

interface ResizeHandleProps {
  column: Column;
  onResize: (field: string, width: number) => void;
}

/** Resizes by pointer; by keyboard, use the column list. */
function ResizeHandle({ column, onResize }: ResizeHandleProps) {
  function drag(event: PointerEvent<HTMLSpanElement>): void {
    event.preventDefault();
    const edge = event.currentTarget;
    const { clientX: from } = event;
    const move = (to: globalThis.PointerEvent) => onResize(column.name, column.width + to.clientX - from);
    edge.setPointerCapture(event.pointerId);
    edge.addEventListener("pointermove", move);
    edge.addEventListener("lostpointercapture", () => edge.removeEventListener("pointermove", move), {
      once: true,
    });
  }
  return <span className="grid-edge" aria-hidden="true" onPointerDown={drag} />;
}
