import type { JsonObject } from "@purse/protocol";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { Column } from "./columns.ts";
import type { Drafts } from "./drafts.ts";
import { GridHead, type GridHeadProps } from "./GridHead.tsx";
import { GridRow } from "./GridRow.tsx";
import { actionOf, type GridAction } from "./gridKeys.ts";
import { cellId, LINE, type Place, placeAt } from "./place.ts";
import { rangeOf } from "./selection.ts";
import { useCells } from "./useCells.ts";
import { useClipboard } from "./useClipboard.ts";
import "./Grid.css";

/** Rows before the end at which the next page is asked for. */
const AHEAD = 60;

export interface GridProps extends Pick<GridHeadProps, "order" | "onSort" | "onResize" | "onMoveColumn"> {
  label: string;
  /** What the rows answer: another question begins at the top. */
  question: string;
  /** They are those of the question before. */
  isOld: boolean;
  /** Those that are shown, the pinned ones first. */
  columns: readonly Column[];
  rows: readonly JsonObject[];
  /** All that there are, where it is known. */
  count: number | undefined;
  hasMore: boolean;
  onMore: () => void;
  active: Place;
  /** Where the selection began; the active cell is its other end. */
  anchor: Place;
  /** Without `anchor` one cell is selected. */
  onSelect: (active: Place, anchor?: Place) => void;
  drafts: Drafts;
  /** Ids of rows that somebody has just changed. */
  flashing: ReadonlySet<string>;
  /** Ids of rows for what is done to many. */
  picked: ReadonlySet<string>;
  /** Picks all of these, or none where all of them are. */
  onPick: (rows: readonly JsonObject[]) => void;
  /** What is typed in the place of a cell. */
  editor: { place: Place; content: ReactNode } | undefined;
  /** Somebody wants to change a cell; `typed` is the letter that began it. */
  onEdit: (place: Place, typed?: string) => void;
  onOpen: (row: number) => void;
  onPin: (field: string) => void;
  onHide: (field: string) => void;
  /** What goes to the clipboard. */
  textOf: () => string | undefined;
  onPaste: (text: string) => void;
  /** Takes the values of the selection away. */
  onClear: () => void;
  onUndo: () => void;
  onRevert: () => void;
}

/** Rows and columns without number: what is in sight is drawn, and what is near. One cell is active, moved by arrows. */
export function Grid(props: GridProps) {
  const { label, columns, rows, count, hasMore, onMore, active, anchor, onSelect, editor, picked } = props;
  const { t } = useTranslation();
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const { lines, spans } = useCells(frame, columns, rows.length, active);
  useClipboard(frame, props.textOf, props.onPaste);
  const isEditing = editor !== undefined;
  const wasEditing = useRef(false);
  // After typing the keys are the grid's again, unless somebody has gone elsewhere with the pointer.
  useEffect(() => {
    if (wasEditing.current && !isEditing && document.activeElement === document.body) frame.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  const { question } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question has other rows.
  useEffect(() => {
    frame.current?.scrollTo({ top: 0 });
  }, [question]);
  const last = lines.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= rows.length - AHEAD) onMore();
  }, [hasMore, last, rows.length, onMore]);
  const range = active.row < 0 ? undefined : rangeOf(anchor, active);
  const lastPicked = useRef(0);
  const isAllPicked = rows.length > 0 && rows.every(({ objectId }) => picked.has(String(objectId)));

  function keyDown(event: KeyboardEvent): void {
    if (event.target !== frame.current) return;
    const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? LINE) / LINE) - 2);
    const action = actionOf(event, { active, rows: rows.length, columns: columns.length, page });
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
    else if (action.do === "edit") props.onEdit(active, action.typed);
    else if (action.do === "sort") props.onSort(field, action.isMore);
    else if (action.do === "moveColumn") {
      const beside = columns[column + action.by];
      if (!beside || beside.isPinned !== columns[column]?.isPinned) return;
      props.onMoveColumn(field, beside.name);
      onSelect({ row: -1, column: column + action.by });
    } else {
      const plain: Record<typeof action.do, () => void> = {
        open: () => props.onOpen(row),
        all: () => onSelect({ row: rows.length - 1, column: columns.length - 1 }, { row: 0, column: 0 }),
        single: () => onSelect(active),
        pick: () => props.onPick(range ? rows.slice(range.top, range.bottom + 1) : []),
        pin: () => props.onPin(field),
        hide: () => props.onHide(field),
        clear: props.onClear,
        undo: props.onUndo,
        revert: props.onRevert,
      };
      plain[action.do]();
    }
  }

  function pointerDown(event: PointerEvent<HTMLDivElement>): void {
    const at = placeAt(event.target);
    if (!at || isIn(event.target, "input, textarea, select")) return;
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
    const at = placeAt(event.target);
    if (at && (at.row !== active.row || at.column !== active.column) && active.row >= 0) onSelect(at, anchor);
  }

  function click(event: React.MouseEvent<HTMLDivElement>): void {
    const open = dataOf(event.target, "open");
    const pick = dataOf(event.target, "pick");
    if (open !== undefined) props.onOpen(open);
    if (pick !== undefined) {
      const [from, to] = event.shiftKey ? [lastPicked.current, pick] : [pick, pick];
      props.onPick(rows.slice(Math.min(from, to), Math.max(from, to) + 1));
      lastPicked.current = pick;
    }
    const isTyped = isIn(event.target, "textarea, select, input:not([type=checkbox])");
    if (!isTyped && open === undefined) frame.current?.focus({ preventScroll: true });
  }

  const isDrawn = active.row < 0 || lines.some(({ index }) => index === active.row);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out what is not in sight.
    <div
      ref={frame}
      className="grid"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-multiselectable="true"
      aria-busy={props.isOld || undefined}
      aria-rowcount={hasMore ? (count === undefined ? -1 : count + 1) : rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={isDrawn ? cellId(id, active) : undefined}
      onKeyDown={keyDown}
    >
      <GridHead
        {...props}
        grid={id}
        spans={spans}
        isAllPicked={isAllPicked}
        onPickAll={() => props.onPick(rows)}
        onActive={onSelect}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: as above. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the grid's. */}
      <div
        role="rowgroup"
        className="grid-body"
        style={{ height: rows.length * LINE, width: spans.width }}
        onPointerDown={pointerDown}
        onPointerOver={pointerOver}
        onClick={click}
        onDoubleClick={(event) => {
          const at = placeAt(event.target);
          if (at && !isEditing) props.onEdit(at);
        }}
      >
        {lines.map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          const objectId = String(row.objectId);
          const isSelected = range !== undefined && index >= range.top && index <= range.bottom;
          const isEdited = editor?.place.row === index;
          return (
            <GridRow
              key={objectId}
              grid={id}
              {...{ row, index, spans }}
              top={start - LINE}
              draft={props.drafts.get(objectId)}
              isFlashing={props.flashing.has(objectId)}
              isPicked={picked.has(objectId)}
              active={active.row === index ? active.column : undefined}
              from={isSelected ? range.left : undefined}
              to={isSelected ? range.right : undefined}
              edited={isEdited ? editor.place.column : undefined}
              editor={isEdited ? editor.content : undefined}
            />
          );
        })}
      </div>
      {hasMore && <p className="grid-more soft small">{t("More rows come as you scroll.")}</p>}
    </div>
  );
}

function isIn(target: EventTarget, selector: string): boolean {
  return target instanceof Element && target.closest(selector) !== null;
}

/** The number that something of the document is marked with. */
function dataOf(target: EventTarget, name: "open" | "pick"): number | undefined {
  const marked = target instanceof Element ? target.closest<HTMLElement>(`[data-${name}]`) : null;
  const value = marked?.dataset[name];
  return value === undefined ? undefined : Number(value);
}
