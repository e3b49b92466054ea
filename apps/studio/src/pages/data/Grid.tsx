import type { JsonObject } from "@purse/protocol";
import { useTranslation } from "@purse/ui";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { type CellPosition, cellAt, cellId, ROW_HEIGHT } from "./cellPosition.ts";
import type { Column } from "./columns.ts";
import type { Drafts } from "./drafts.ts";
import { GridHead, type GridHeadProps } from "./GridHead.tsx";
import { GridRow } from "./GridRow.tsx";
import { actionForKey, type GridAction } from "./gridKeys.ts";
import { hasQuickFilter } from "./quickFilter.ts";
import { rangeOf } from "./selection.ts";
import { useClipboard } from "./useClipboard.ts";
import { useVirtualCells } from "./useVirtualCells.ts";
import "./Grid.css";

/** The next page is loaded this many rows before the end. */
const PREFETCH_ROWS = 60;

export interface GridProps
  extends Pick<
    GridHeadProps,
    "order" | "onSort" | "onResize" | "onMoveColumn" | "filters" | "onFilter" | "filteredColumn"
  > {
  label: string;
  /** Identifies the query; a new query scrolls to the top. */
  queryKey: string;
  /** The rows belong to the previous query. */
  isStale: boolean;
  /** Visible columns, pinned ones first. */
  columns: readonly Column[];
  rows: readonly JsonObject[];
  /** Total number of rows, if known. */
  count: number | undefined;
  hasMore: boolean;
  onMore: () => void;
  /** The user wants to see the end of the rows, which is not loaded. */
  onEnd: () => void;
  active: CellPosition;
  /** Start of the selection; the active cell is its end. */
  anchor: CellPosition;
  /** Without `anchor`, a single cell is selected. */
  onSelect: (active: CellPosition, anchor?: CellPosition) => void;
  drafts: Drafts;
  /** Ids of rows that were just updated live. */
  flashing: ReadonlySet<string>;
  /** Ids of rows checked for bulk actions. */
  checkedIds: ReadonlySet<string>;
  /** Checks all of these rows, or unchecks them if all are checked. */
  onToggleRows: (rows: readonly JsonObject[]) => void;
  /** The open inline editor. */
  editor: { position: CellPosition; content: ReactNode } | undefined;
  /** Starts editing; `initialText` is the typed character. */
  onEdit: (position: CellPosition, initialText?: string) => void;
  onOpen: (row: number) => void;
  onFilteredColumn: (field: string | undefined) => void;
  onPin: (field: string) => void;
  onHide: (field: string) => void;
  /** Text to copy. */
  getClipboardText: () => string | undefined;
  onPaste: (text: string) => void;
  /** Clears the selected cells. */
  onClear: () => void;
  onUndo: () => void;
  onRevert: () => void;
}

/** A virtualized grid: only visible and nearby cells are rendered. Arrow keys move the active cell. */
export function Grid(props: GridProps) {
  const { label, columns, rows, count, hasMore, onMore, active, anchor, onSelect, editor, checkedIds } =
    props;
  const { t } = useTranslation();
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const { visibleRows, spans } = useVirtualCells(frame, columns, rows.length, active);
  useClipboard(frame, props.getClipboardText, props.onPaste);
  const isEditing = editor !== undefined || props.filteredColumn !== undefined;
  const wasEditing = useRef(false);
  // After editing, the grid takes the focus back unless the user has focused something else.
  useEffect(() => {
    if (wasEditing.current && !isEditing && document.activeElement === document.body) frame.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  const { queryKey } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question has other rows.
  useEffect(() => {
    frame.current?.scrollTo({ top: 0 });
  }, [queryKey]);
  const last = visibleRows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= rows.length - PREFETCH_ROWS) onMore();
  }, [hasMore, last, rows.length, onMore]);
  const range = active.row < 0 ? undefined : rangeOf(anchor, active);
  const lastChecked = useRef(0);
  const isAllChecked = rows.length > 0 && rows.every(({ objectId }) => checkedIds.has(String(objectId)));

  function keyDown(event: KeyboardEvent): void {
    if (event.target !== frame.current) return;
    const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? ROW_HEIGHT) / ROW_HEIGHT) - 2);
    const action = actionForKey(event, { active, rows: rows.length, columns: columns.length, page });
    if (!action) return;
    event.preventDefault();
    if (hasMore && action.do === "go" && action.to.row === rows.length - 1 && event.key !== "PageDown") {
      if (event.ctrlKey || event.metaKey) props.onEnd();
    }
    // Typed characters must not trigger shortcuts.
    if (action.do !== "single") event.stopPropagation();
    act(action);
  }

  function act(action: GridAction): void {
    const { row, column } = active;
    const field = columns[column]?.name ?? "";
    if (action.do === "go") onSelect(action.to, action.extends ? anchor : undefined);
    else if (action.do === "edit") props.onEdit(active, action.initialText);
    else if (action.do === "sort") props.onSort(field, action.isAdditive);
    else if (action.do === "moveColumn") {
      const neighbor = columns[column + action.by];
      if (!neighbor || neighbor.isPinned !== columns[column]?.isPinned) return;
      props.onMoveColumn(field, neighbor.name);
      onSelect({ row: -1, column: column + action.by });
    } else {
      const handlers: Record<typeof action.do, () => void> = {
        open: () => props.onOpen(row),
        all: () => onSelect({ row: rows.length - 1, column: columns.length - 1 }, { row: 0, column: 0 }),
        single: () => onSelect(active),
        pick: () => props.onToggleRows(range ? rows.slice(range.top, range.bottom + 1) : []),
        pin: () => props.onPin(field),
        hide: () => props.onHide(field),
        filter: () => {
          const column = columns[active.column];
          if (column && hasQuickFilter(column)) props.onFilteredColumn(column.name);
        },
        clear: props.onClear,
        undo: props.onUndo,
        revert: props.onRevert,
      };
      handlers[action.do]();
    }
  }

  function pointerDown(event: PointerEvent<HTMLDivElement>): void {
    const at = cellAt(event.target);
    if (!at || isWithin(event.target, "input, textarea, select")) return;
    // A context menu inside the selection applies to all of it.
    if (event.button !== 0) {
      const isInside =
        range &&
        at.row >= range.top &&
        at.row <= range.bottom &&
        at.column >= range.left &&
        at.column <= range.right;
      if (!isInside) onSelect(at);
      return;
    }
    onSelect(at, event.shiftKey ? anchor : undefined);
  }

  /** Selects by dragging with a mouse; touch scrolls. */
  function pointerOver(event: PointerEvent<HTMLDivElement>): void {
    if (event.pointerType !== "mouse" || event.buttons !== 1 || isEditing) return;
    const at = cellAt(event.target);
    if (at && (at.row !== active.row || at.column !== active.column) && active.row >= 0) onSelect(at, anchor);
  }

  function click(event: React.MouseEvent<HTMLDivElement>): void {
    const open = dataIndex(event.target, "open");
    const toggled = dataIndex(event.target, "pick");
    if (open !== undefined) props.onOpen(open);
    if (toggled !== undefined) {
      const [from, to] = event.shiftKey ? [lastChecked.current, toggled] : [toggled, toggled];
      props.onToggleRows(rows.slice(Math.min(from, to), Math.max(from, to) + 1));
      lastChecked.current = toggled;
    }
    const isTyped = isWithin(event.target, "textarea, select, input:not([type=checkbox])");
    if (!isTyped && open === undefined) frame.current?.focus({ preventScroll: true });
  }

  const isActiveRendered = active.row < 0 || visibleRows.some(({ index }) => index === active.row);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out what is not in sight.
    <div
      ref={frame}
      className="grid"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-multiselectable="true"
      aria-busy={props.isStale || undefined}
      aria-rowcount={hasMore ? (count === undefined ? -1 : count + 1) : rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={isActiveRendered ? cellId(id, active) : undefined}
      onKeyDown={keyDown}
    >
      <GridHead
        {...props}
        grid={id}
        spans={spans}
        isAllChecked={isAllChecked}
        onToggleAll={() => props.onToggleRows(rows)}
        onActive={onSelect}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the grid's. */}
      <div
        role="rowgroup"
        className="grid-body"
        style={{ height: rows.length * ROW_HEIGHT, width: spans.width }}
        onPointerDown={pointerDown}
        onPointerOver={pointerOver}
        onClick={click}
        onDoubleClick={(event) => {
          const at = cellAt(event.target);
          if (at && !isEditing) props.onEdit(at);
        }}
      >
        {visibleRows.map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          const objectId = String(row.objectId);
          const isSelected = range !== undefined && index >= range.top && index <= range.bottom;
          const isEdited = editor?.position.row === index;
          return (
            <GridRow
              key={objectId}
              grid={id}
              {...{ row, index, spans }}
              top={start - ROW_HEIGHT}
              draft={props.drafts.get(objectId)}
              isFlashing={props.flashing.has(objectId)}
              isChecked={checkedIds.has(objectId)}
              active={active.row === index ? active.column : undefined}
              from={isSelected ? range.left : undefined}
              to={isSelected ? range.right : undefined}
              editedColumn={isEdited ? editor.position.column : undefined}
              editor={isEdited ? editor.content : undefined}
            />
          );
        })}
      </div>
      {hasMore && <p className="grid-more soft small">{t("Scroll to load more rows")}</p>}
    </div>
  );
}

function isWithin(target: EventTarget, selector: string): boolean {
  return target instanceof Element && target.closest(selector) !== null;
}

/** Reads a numeric data attribute of the closest element. */
function dataIndex(target: EventTarget, name: "open" | "pick"): number | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>(`[data-${name}]`) : null;
  const value = element?.dataset[name];
  return value === undefined ? undefined : Number(value);
}
