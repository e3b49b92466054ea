import { ArrowDown, ArrowUp } from "lucide-react";
import type { PointerEvent } from "react";
import { useTexts } from "../../../texts/TextsContext.tsx";
import type { Column } from "./columns.ts";
import type { Place, Spans } from "./place.ts";
import { sortsOf } from "./search.ts";

/** The names of the columns: pressed they sort, their edges are drawn to make them wider. */
export function GridHead({
  active,
  columns,
  order,
  spans,
  cellId,
  onSort,
  onResize,
  onActive,
}: {
  active: Place;
  columns: readonly Column[];
  order: string | undefined;
  spans: Spans;
  cellId: (place: Place) => string;
  onSort: (field: string, isMore: boolean) => void;
  onResize: (field: string, width: number) => void;
  onActive: (place: Place) => void;
}) {
  const { t } = useTexts();
  const sorts = sortsOf(order, new Set(columns.map(({ name }) => name)));
  let left = 0;
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
        id={cellId({ row: -1, column: place })}
        role="columnheader"
        aria-colindex={place + 1}
        aria-sort={sort && (sort.isDescending ? "descending" : "ascending")}
        className="grid-cell grid-name"
        data-pinned={column.isPinned || undefined}
        data-active={(active.row === -1 && active.column === place) || undefined}
        style={{ width: column.width, ...stick }}
      >
        <button
          type="button"
          tabIndex={-1}
          title={t("Sort by {name}; with Shift beside the others", { name: column.name })}
          onClick={(event) => {
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
