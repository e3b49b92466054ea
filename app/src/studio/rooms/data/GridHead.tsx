import { ArrowDown, ArrowUp } from "lucide-react";
import { type PointerEvent, useRef, useState } from "react";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { Column } from "./columns.ts";
import { cellId, GUTTER, type Place, type Spans } from "./place.ts";
import { sortsOf } from "./search.ts";

/** Pixels that a name is drawn before it is moved rather than pressed. */
const DRAWN = 6;

export interface GridHeadProps {
  grid: string;
  active: Place;
  columns: readonly Column[];
  order: string | undefined;
  spans: Spans;
  isAllPicked: boolean;
  onPickAll: () => void;
  onSort: (field: string, isMore: boolean) => void;
  onResize: (field: string, width: number) => void;
  /** To the place of another. */
  onMoveColumn: (field: string, to: string) => void;
  onActive: (place: Place) => void;
}

/** The names of the columns: pressed they sort, drawn they go elsewhere, their edges make them wider. */
export function GridHead(props: GridHeadProps) {
  const { grid, active, columns, order, spans, isAllPicked, onPickAll, onSort, onResize, onActive } = props;
  const { t } = useTranslation();
  const sorts = sortsOf(order, new Set(columns.map(({ name }) => name)));
  const [drop, setDrop] = useState<string | undefined>(undefined);
  const wasDrawn = useRef(false);

  function draw(event: PointerEvent<HTMLButtonElement>, name: string): void {
    wasDrawn.current = false;
    if (event.button !== 0 || event.pointerType === "touch") return;
    const { currentTarget: button, pointerId, clientX: from } = event;
    let target: string | undefined;
    const move = ({ clientX, clientY }: globalThis.PointerEvent) => {
      if (!wasDrawn.current && Math.abs(clientX - from) < DRAWN) return;
      wasDrawn.current = true;
      const under = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>("[data-column]");
      target = under?.dataset.column;
      setDrop(target === name ? undefined : target);
    };
    const end = () => {
      button.removeEventListener("pointermove", move);
      setDrop(undefined);
      if (wasDrawn.current && target !== undefined && target !== name) props.onMoveColumn(name, target);
    };
    button.setPointerCapture(pointerId);
    button.addEventListener("pointermove", move);
    button.addEventListener("lostpointercapture", end, { once: true });
  }

  let left = GUTTER;
  const head = (column: Column, place: number) => {
    const rank = sorts.findIndex(({ field }) => field === column.name);
    const sort = sorts[rank];
    const stick = column.isPinned ? { left } : {};
    if (column.isPinned) left += column.width;
    return (
      // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and says which cell is active.
      // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out what is not in sight.
      <div
        key={column.name}
        id={cellId(grid, { row: -1, column: place })}
        role="columnheader"
        aria-colindex={place + 2}
        aria-sort={sort && (sort.isDescending ? "descending" : "ascending")}
        className="grid-cell grid-name"
        data-column={column.name}
        data-drop={drop === column.name || undefined}
        data-pinned={column.isPinned || undefined}
        data-active={(active.row === -1 && active.column === place) || undefined}
        style={{ width: column.width, ...stick }}
        onContextMenu={() => onActive({ row: -1, column: place })}
      >
        <button
          type="button"
          tabIndex={-1}
          title={t("Sort by {name}; with Shift beside the others", { name: column.name })}
          onPointerDown={(event) => draw(event, column.name)}
          onClick={(event) => {
            if (wasDrawn.current) return;
            onActive({ row: -1, column: place });
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
          {sorts.length > 1 && sort && <span className="grid-rank">{rank + 1}</span>}
        </button>
        <Edge column={column} onResize={onResize} />
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
            checked={isAllPicked}
            onChange={onPickAll}
            aria-label={t("Pick all rows that are loaded")}
          />
        </div>
        {spans.pinned.map(head)}
        <span className="grid-gap" style={{ width: spans.before }} />
        {spans.loose.map((column, i) => head(column, spans.first + i))}
      </div>
    </div>
  );
}

/** For pointers; by keyboard widths are set in the list of columns. */
function Edge({ column, onResize }: { column: Column; onResize: (field: string, width: number) => void }) {
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
