import type { JsonObject } from "@purse/protocol";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { type CellPosition, cellAt, cellId, ROW_HEIGHT } from "./cellPosition.ts";
import type { Column } from "./columns.ts";
import type { Drafts } from "./drafts.ts";
import { GridHead, type GridHeadProps } from "./GridHead.tsx";
import { GridRow } from "./GridRow.tsx";
import { actionForKey, type GridAction } from "./gridKeys.ts";
import { rangeOf } from "./selection.ts";
import { useClipboard } from "./useClipboard.ts";
import { useVirtualCells } from "./useVirtualCells.ts";
import "./Grid.css";

/** Rows before the end at which the next page is asked for. */
const PREFETCH_ROWS = 60;

export interface GridProps extends Pick<GridHeadProps, "order" | "onSort" | "onResize" | "onMoveColumn"> {
  label: string;
  /** What the rows answer: another question begins at the top. */
  queryKey: string;
  /** They are those of the question before. */
  isStale: boolean;
  /** Those that are shown, the pinned ones first. */
  columns: readonly Column[];
  rows: readonly JsonObject[];
  /** All that there are, where it is known. */
  count: number | undefined;
  hasMore: boolean;
  onMore: () => void;
  active: CellPosition;
  /** Where the selection began; the active cell is its other end. */
  anchor: CellPosition;
  /** Without `anchor` one cell is selected. */
  onSelect: (active: CellPosition, anchor?: CellPosition) => void;
  drafts: Drafts;
  /** Ids of rows that somebody has just changed. */
  flashing: ReadonlySet<string>;
  /** Ids of rows for what is done to many. */
  checkedIds: ReadonlySet<string>;
  /** Picks all of these, or none where all of them are. */
  onToggleRows: (rows: readonly JsonObject[]) => void;
  /** What is typed in the place of a cell. */
  editor: { position: CellPosition; content: ReactNode } | undefined;
  /** Somebody wants to change a cell; `typed` is the letter that began it. */
  onEdit: (position: CellPosition, initialText?: string) => void;
  onOpen: (row: number) => void;
  onPin: (field: string) => void;
  onHide: (field: string) => void;
  /** What goes to the clipboard. */
  getClipboardText: () => string | undefined;
  onPaste: (text: string) => void;
  /** Takes the values of the selection away. */
  onClear: () => void;
  onUndo: () => void;
  onRevert: () => void;
}

/** Rows and columns without number: what is in sight is drawn, and what is near. One cell is active, moved by arrows. */
export function Grid(props: GridProps) {
  const { label, columns, rows, count, hasMore, onMore, active, anchor, onSelect, editor, checkedIds } =
    props;
  const { t } = useTexts();
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const { visibleRows, spans } = useVirtualCells(frame, columns, rows.length, active);
  useClipboard(frame, props.getClipboardText, props.onPaste);
  const isEditing = editor !== undefined;
  const wasEditing = useRef(false);
  // After typing the keys are the grid's again, unless somebody has gone elsewhere with the pointer.
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
    // A letter that is typed is no shortcut.
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
    // The menu of a selection is for all of it.
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

  /** Drawn with a mouse; a finger scrolls. */
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

/** The number that something of the document is marked with. */
function dataIndex(target: EventTarget, name: "open" | "pick"): number | undefined {
  const element = target instanceof Element ? target.closest<HTMLElement>(`[data-${name}]`) : null;
  const value = element?.dataset[name];
  return value === undefined ? undefined : Number(value);
}
