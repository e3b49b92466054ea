import type { JsonObject, JsonValue } from "@purse/protocol";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef } from "react";
import { useTexts } from "../../../texts/TextsContext.tsx";
import type { Column } from "./columns.ts";
import { GridHead } from "./GridHead.tsx";
import type { Place, Spans } from "./place.ts";
import { aclInWords, shown } from "./value.ts";
import "./Grid.css";

const ROW = 34;
/** Rows before the end at which the next page is asked for. */
const AHEAD = 60;

export interface GridProps {
  label: string;
  /** Those that are shown, the pinned ones first. */
  columns: readonly Column[];
  rows: readonly JsonObject[];
  /** All that there are, where it is known. */
  count: number | undefined;
  hasMore: boolean;
  onMore: () => void;
  active: Place;
  onActive: (place: Place) => void;
  order: string | undefined;
  onSort: (field: string, isMore: boolean) => void;
  onResize: (field: string, width: number) => void;
  /** A value that is not saved yet; undefined where there is none. */
  changeOf: (row: JsonObject, field: string) => { value: JsonValue | undefined } | undefined;
  /** Ids of rows that somebody has just changed. */
  flashing: ReadonlySet<string>;
  /** What is typed in the place of a cell. */
  editor: { place: Place; content: ReactNode } | undefined;
  /** Somebody wants to change the active cell; `typed` is the letter that began it. */
  onEdit: (place: Place, typed?: string) => void;
}

/** Rows and columns without number: what is in sight is drawn, and what is near. One cell is active, moved by arrows. */
export function Grid(props: GridProps) {
  const { label, columns, rows, count, hasMore, onMore, active, onActive, editor } = props;
  const { t } = useTexts();
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const pinned = useMemo(() => columns.filter(({ isPinned }) => isPinned), [columns]);
  const loose = useMemo(() => columns.filter(({ isPinned }) => !isPinned), [columns]);
  const pinnedWidth = pinned.reduce((sum, { width }) => sum + width, 0);
  const down = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW,
    overscan: 8,
    // The head covers the first line.
    scrollMargin: ROW,
    scrollPaddingStart: ROW,
  });
  const across = useVirtualizer({
    horizontal: true,
    count: loose.length,
    getScrollElement: () => frame.current,
    estimateSize: (i) => loose[i]?.width ?? 0,
    getItemKey: (i) => loose[i]?.name ?? i,
    overscan: 2,
    paddingStart: pinnedWidth,
    scrollPaddingStart: pinnedWidth,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: other columns have other widths.
  useEffect(() => across.measure(), [across, loose]);
  const firstLoose = pinned.length;
  useEffect(() => {
    if (active.row >= 0) down.scrollToIndex(active.row, { align: "auto" });
    if (active.column >= firstLoose) across.scrollToIndex(active.column - firstLoose, { align: "auto" });
  }, [active, firstLoose, down, across]);
  const isEditing = editor !== undefined;
  const wasEditing = useRef(false);
  // After typing the keys are the grid's again, unless somebody has gone elsewhere with the pointer.
  useEffect(() => {
    if (wasEditing.current && !isEditing && document.activeElement === document.body) frame.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  const lines = down.getVirtualItems();
  const last = lines.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= rows.length - AHEAD) onMore();
  }, [hasMore, last, rows.length, onMore]);
  const places = across.getVirtualItems();
  const spans: Spans = {
    pinned,
    first: pinned.length + (places[0]?.index ?? 0),
    loose: places.flatMap(({ index }) => loose[index] ?? []),
    before: (places[0]?.start ?? pinnedWidth) - pinnedWidth,
    width: across.getTotalSize(),
  };
  const cellId = ({ row, column }: Place) => `${id}-${row}-${column}`;

  function go(row: number, column: number): void {
    onActive({
      row: Math.min(rows.length - 1, Math.max(-1, row)),
      column: Math.min(columns.length - 1, Math.max(0, column)),
    });
  }

  function keyDown(event: KeyboardEvent): void {
    if (event.target !== frame.current || event.altKey) return;
    const { row, column } = active;
    const isFar = event.ctrlKey || event.metaKey;
    const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? ROW) / ROW) - 2);
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(isFar ? rows.length : row + 1, column),
      ArrowUp: () => go(isFar ? 0 : row - 1, column),
      ArrowRight: () => go(row, isFar ? columns.length : column + 1),
      ArrowLeft: () => go(row, isFar ? 0 : column - 1),
      PageDown: () => go(row + page, column),
      PageUp: () => go(row - page, column),
      Home: () => go(isFar ? 0 : row, 0),
      End: () => go(isFar ? rows.length : row, columns.length),
      Enter: () => enter(event.shiftKey),
      F2: () => enter(event.shiftKey),
    };
    const move = moves[event.key];
    if (move) {
      event.preventDefault();
      move();
    } else if (event.key.length === 1 && !isFar && event.key !== " " && row >= 0) {
      event.preventDefault();
      props.onEdit(active, event.key);
    }
  }

  function enter(isMore: boolean): void {
    const field = columns[active.column]?.name;
    if (active.row >= 0) props.onEdit(active);
    else if (field !== undefined) props.onSort(field, isMore);
  }

  const isDrawn =
    active.row < 0 || lines.some(({ index }) => index === active.row) ? cellId(active) : undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out what is not in sight.
    <div
      ref={frame}
      className="grid"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={hasMore ? (count === undefined ? -1 : count + 1) : rows.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={isDrawn}
      onKeyDown={keyDown}
    >
      <GridHead {...props} spans={spans} cellId={cellId} />
      {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
      <div role="rowgroup" className="grid-body" style={{ height: rows.length * ROW, width: spans.width }}>
        {lines.map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <GridRow
              key={String(row.objectId)}
              {...{ row, index, spans, active, editor, cellId }}
              top={start - ROW}
              changeOf={props.changeOf}
              isFlashing={props.flashing.has(String(row.objectId))}
              onActive={(column) => {
                onActive({ row: index, column });
                if (!editor) frame.current?.focus({ preventScroll: true });
              }}
              onEdit={(column) => props.onEdit({ row: index, column })}
            />
          );
        })}
      </div>
      {hasMore && <p className="grid-more soft small">{t("More rows come as you scroll.")}</p>}
    </div>
  );
}

function GridRow({
  row,
  index,
  top,
  spans,
  active,
  editor,
  cellId,
  changeOf,
  isFlashing,
  onActive,
  onEdit,
}: Pick<GridProps, "active" | "editor" | "changeOf"> & {
  row: JsonObject;
  index: number;
  top: number;
  spans: Spans;
  cellId: (place: Place) => string;
  isFlashing: boolean;
  onActive: (column: number) => void;
  onEdit: (column: number) => void;
}) {
  const { t } = useTexts();
  let left = 0;
  const cell = (column: Column, place: number) => {
    const change = changeOf(row, column.name);
    const value = change ? change.value : row[column.name];
    const isEdited = editor?.place.row === index && editor.place.column === place;
    const said = column.type === "ACL" ? aclInWords(value) : shown(value);
    const stick = column.isPinned ? { left } : {};
    if (column.isPinned) left += column.width;
    return (
      // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and says which cell is active.
      // biome-ignore lint/a11y/useSemanticElements: as above.
      // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the grid's.
      <div
        key={column.name}
        id={cellId({ row: index, column: place })}
        role="gridcell"
        aria-colindex={place + 1}
        className="grid-cell"
        data-pinned={column.isPinned || undefined}
        data-type={column.type}
        data-active={(active.row === index && active.column === place) || undefined}
        data-changed={change !== undefined || undefined}
        style={{ width: column.width, ...stick }}
        title={isEdited ? undefined : said}
        onClick={() => onActive(place)}
        onDoubleClick={() => onEdit(place)}
      >
        {isEdited ? editor.content : said === "" ? <span className="soft">—</span> : <bdi>{said}</bdi>}
        {change && <span className="visually-hidden">{t("not saved yet")}</span>}
      </div>
    );
  };
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: as above.
    // biome-ignore lint/a11y/useSemanticElements: as above.
    <div
      role="row"
      aria-rowindex={index + 2}
      className="grid-row"
      data-flashing={isFlashing || undefined}
      style={{ transform: `translateY(${top}px)`, width: spans.width }}
    >
      {spans.pinned.map(cell)}
      <span className="grid-gap" style={{ width: spans.before }} />
      {spans.loose.map((column, i) => cell(column, spans.first + i))}
    </div>
  );
}
