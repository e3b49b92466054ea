import type { JsonObject, JsonValue } from "@purse/protocol";
import { useBlocker, useNavigate, useSearch } from "@tanstack/react-router";
import { Columns3, Plus, RefreshCw, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { EmptyState, ErrorState, SkeletonList } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useOperator, useStudio } from "../../StudioContext.tsx";
import { CellEditor, isInline } from "./CellEditor.tsx";
import { ColumnList } from "./ColumnList.tsx";
import { Conflict } from "./Conflict.tsx";
import { columnsOf, type DataClass, within } from "./columns.ts";
import { DeleteRow } from "./DeleteRow.tsx";
import { DraftBar } from "./DraftBar.tsx";
import { type Draft, isEditable } from "./drafts.ts";
import { Filters } from "./Filters.tsx";
import { whereOf } from "./filters.ts";
import { Grid } from "./Grid.tsx";
import { NewRow } from "./NewRow.tsx";
import type { Place } from "./place.ts";
import { orderOf, sortedBy, sortsOf } from "./search.ts";
import { useDrafts } from "./useDrafts.ts";
import { useLayout } from "./useLayout.ts";
import { useLive } from "./useLive.ts";
import { useCount, usePages } from "./usePages.ts";
import { ValueDialog } from "./ValueDialog.tsx";

/** What cannot be sorted by. */
const UNSORTED = new Set(["Relation", "ACL", "GeoPoint", "Polygon", "Object", "Array", "File", "Bytes"]);

/** The rows of a class, with what can be done to them. */
export function ClassGrid({ dataClass }: { dataClass: DataClass }) {
  const { t, count: say } = useTexts();
  const { className } = dataClass;
  const { order: wanted, filter: filters = [], as } = useSearch({ from: "/data" });
  const navigate = useNavigate({ from: "/data" });
  const [layout, setLayout, forgetLayout] = useLayout(className);
  const [isChoosing, setIsChoosing] = useState(false);
  const [active, setActive] = useState<Place>({ row: 0, column: 0 });
  const all = columnsOf(dataClass, layout);
  const columns = all.filter(({ isHidden }) => !isHidden);
  const sorts = sortsOf(
    wanted,
    new Set(all.filter(({ type }) => !UNSORTED.has(type)).map(({ name }) => name)),
  );
  const order = orderOf(sorts);
  // A field that is not there any more would be an error of the server, for a filter of an old link.
  const asked = { where: whereOf(filters.filter(({ field }) => field in dataClass.fields)), order, as };
  const [isExact, setIsExact] = useState(false);
  const pages = usePages(className, asked);
  const count = useCount(className, asked, { enabled: pages.rows !== undefined, isExact });
  const { rows } = pages;
  const { news, forgetNews, flashing } = useLive(className, asked);
  const studio = useStudio();
  const { role } = useOperator();
  const { drafts, change, drop, replace, save, isSaving, error: saveError } = useDrafts(className);
  const [edit, setEdit] = useState<{ place: Place; typed?: string | undefined } | undefined>(undefined);
  const [asking, setAsking] = useState<"new" | { remove: string } | undefined>(undefined);
  const [conflict, setConflict] = useState<Draft | undefined>(undefined);
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      drafts.size > 0 &&
      (current.pathname !== next.pathname || classIn(current.search) !== classIn(next.search)) &&
      !window.confirm(t("There are changes that are not saved. Leave without them?")),
    enableBeforeUnload: () => drafts.size > 0,
  });

  /** A value that was typed, or undefined where it was left as it is; then on to the next cell. */
  function endEdit(typed?: { value: JsonValue }, by?: "down" | "on" | "back"): void {
    const row = edit && rows?.[edit.place.row];
    const column = edit && columns[edit.place.column];
    if (row && column && typed) change(row, column.name, typed.value);
    setEdit(undefined);
    if (!edit || !by || !rows) return;
    const place = {
      row: edit.place.row + (by === "down" ? 1 : 0),
      column: edit.place.column + (by === "on" ? 1 : by === "back" ? -1 : 0),
    };
    if (rows[place.row] && columns[place.column]) setActive(place);
  }

  const edited = edit && editedIn(edit.place);
  function editedIn({ row: at, column: across }: Place) {
    const row = rows?.[at];
    const column = columns[across];
    return row && column && { row, column, value: valueIn(row, column.name) };
  }

  function changeOf(row: JsonObject, field: string): { value: JsonValue | undefined } | undefined {
    const changes = drafts.get(String(row.objectId))?.changes;
    return changes && Object.hasOwn(changes, field) ? { value: changes[field] } : undefined;
  }

  function valueIn(row: JsonObject, field: string): JsonValue | undefined {
    const changed = changeOf(row, field);
    return changed ? (changed.value ?? undefined) : row[field];
  }

  function startEdit(place: Place, typed?: string): void {
    const column = columns[place.column];
    if (!column || !isEditable(column, role) || isSaving) return;
    setActive(place);
    setEdit({ place, typed });
  }

  const editor: { place: Place; content: ReactNode } | undefined =
    edit && edited && isInline(edited.column)
      ? {
          place: edit.place,
          content: (
            <CellEditor
              column={edited.column}
              value={edited.value}
              typed={
                edited.column.type === "Boolean" || edited.column.type === "Date" ? undefined : edit.typed
              }
              onDone={(value, by) => endEdit({ value }, by)}
              onCancel={() => endEdit()}
            />
          ),
        }
      : undefined;

  function sort(field: string, isMore: boolean): void {
    if (UNSORTED.has(dataClass.fields[field]?.type ?? "")) return;
    void navigate({
      search: (before) => ({ ...before, order: orderOf(sortedBy(sorts, field, isMore)) }),
      resetScroll: false,
    });
  }

  function readAgain(): void {
    forgetNews();
    void Promise.all([pages.refetch(), count.refetch()]);
  }

  function more(): void {
    if (!pages.isFetchingNextPage && !pages.isError) void pages.fetchNextPage();
  }

  return (
    <section className="stack tight" aria-label={className}>
      <div className="data-tools">
        <h2 className="grow">
          <bdi>{className}</bdi> <Total {...{ count: count.data, loaded: rows?.length }} />
        </h2>
        {count.data?.isCapped && (
          <Button small busy={count.isFetching} onClick={() => setIsExact(true)}>
            {t("Count all")}
          </Button>
        )}
        {role !== "readOnly" && (
          <>
            <Button small onClick={() => setAsking("new")}>
              <Plus size={15} aria-hidden="true" />
              {t("New row")}
            </Button>
            <Button
              small
              disabled={!rows?.[active.row]}
              onClick={() => {
                const row = rows?.[active.row];
                if (row) setAsking({ remove: String(row.objectId) });
              }}
            >
              <Trash2 size={15} aria-hidden="true" />
              {t("Delete row")}
            </Button>
          </>
        )}
        {(["csv", "json"] as const).map((format) => (
          <a
            key={format}
            className="button small"
            href={studio.urlOf(`/data/${className}/export`, { format, where: asked.where, as })}
            download
          >
            {format === "csv" ? t("Export CSV") : t("Export JSON")}
          </a>
        ))}
        <Button small onClick={() => setIsChoosing(true)}>
          <Columns3 size={15} aria-hidden="true" />
          {t("Columns")}
        </Button>
        <Button small busy={pages.isRefetching} onClick={readAgain}>
          <RefreshCw size={15} aria-hidden="true" />
          {news > 0 ? say(news, "{n} new row", "{n} new rows") : t("Read again")}
        </Button>
      </div>
      {pages.error !== null && <ErrorState error={pages.error} retry={() => void pages.refetch()} />}
      <Filters
        columns={all.filter(({ type }) => type !== "Relation" && type !== "ACL")}
        filters={filters}
        as={as}
        onChange={(filter) =>
          void navigate({
            search: (before) => ({ ...before, filter: filter.length > 0 ? filter : undefined }),
          })
        }
        onAs={(who) => void navigate({ search: (before) => ({ ...before, as: who }) })}
      />
      <DraftBar
        {...{ drafts, isSaving, error: saveError }}
        onSave={save}
        onDrop={drop}
        onConflict={setConflict}
      />
      {rows ? (
        rows.length > 0 ? (
          <Grid
            label={t("Rows of {name}", { name: className })}
            columns={columns}
            rows={rows}
            count={count.data?.isCapped === false ? count.data.count : undefined}
            hasMore={pages.hasNextPage}
            onMore={more}
            active={active}
            onActive={setActive}
            order={order}
            onSort={sort}
            onResize={(name, width) =>
              setLayout({ ...layout, widths: { ...layout.widths, [name]: within(width) } })
            }
            changeOf={changeOf}
            flashing={flashing}
            editor={editor}
            onEdit={startEdit}
          />
        ) : (
          <EmptyState
            title={
              asked.where || as !== undefined ? t("No row fulfils the filters") : t("There is no row yet")
            }
          />
        )
      ) : (
        pages.error === null && <SkeletonList rows={8} label={t("Loading the rows")} />
      )}
      {edited && !isInline(edited.column) && (
        <ValueDialog
          column={edited.column}
          value={edited.value}
          onDone={(value) => endEdit({ value })}
          onCancel={() => endEdit()}
        />
      )}
      {asking === "new" && (
        <NewRow
          className={className}
          columns={all.filter((column) => isEditable(column, role))}
          onClose={() => setAsking(undefined)}
        />
      )}
      {typeof asking === "object" && (
        <DeleteRow
          className={className}
          objectId={asking.remove}
          onClose={() => setAsking(undefined)}
          onDone={() => {
            replace(asking.remove, undefined);
            setAsking(undefined);
          }}
        />
      )}
      {conflict && (
        <Conflict
          draft={conflict}
          onCancel={() => setConflict(undefined)}
          onDone={(left) => {
            replace(conflict.objectId, left);
            setConflict(undefined);
          }}
        />
      )}
      <ColumnList
        open={isChoosing}
        columns={all}
        layout={layout}
        onChange={setLayout}
        onReset={forgetLayout}
        onClose={() => setIsChoosing(false)}
      />
    </section>
  );
}

/** How many rows there are; the rows do not wait for it. */
function Total({
  count,
  loaded,
}: {
  count: { count: number; isCapped: boolean } | undefined;
  loaded: number | undefined;
}) {
  const { t, count: say } = useTexts();
  return (
    <span className="soft small" role="status">
      {count &&
        (count.isCapped
          ? t("more than {n} rows", { n: count.count })
          : say(count.count, "{n} row", "{n} rows"))}
      {count && loaded !== undefined && loaded < count.count && ` · ${t("{n} loaded", { n: loaded })}`}
    </span>
  );
}

function classIn(search: unknown): unknown {
  return typeof search === "object" && search !== null && "class" in search ? search.class : undefined;
}
