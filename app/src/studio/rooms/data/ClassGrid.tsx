import type { JsonObject, JsonValue } from "@purse/protocol";
import { useBlocker } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { StaleNote } from "../../../design/QueryState.tsx";
import { Notice } from "../../../design/Status.tsx";
import { EmptyState, ErrorState, SkeletonList } from "../../../design/states.tsx";
import { useToast } from "../../../design/Toasts.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useShortcuts } from "../../../shell/useShortcuts.ts";
import { useOperator } from "../../StudioContext.tsx";
import type { Target } from "./bulk.ts";
import { CellEditor, isInline } from "./CellEditor.tsx";
import { pasted } from "./clipboard.ts";
import { type Column, columnsOf, type DataClass, movedTo, toggled, within } from "./columns.ts";
import { DeletionBar } from "./DeletionBar.tsx";
import { DraftBar } from "./DraftBar.tsx";
import { isEditable } from "./drafts.ts";
import { Filters } from "./Filters.tsx";
import { Grid, type GridProps } from "./Grid.tsx";
import { type Asking, GridDialogs } from "./GridDialogs.tsx";
import { GridMenu } from "./GridMenu.tsx";
import { GridTools } from "./GridTools.tsx";
import { gridEntries } from "./gridEntries.ts";
import { PickedBar } from "./PickedBar.tsx";
import type { Place } from "./place.ts";
import { rangeOf } from "./selection.ts";
import { useCopy, valueIn } from "./useCopy.ts";
import { useDeletion } from "./useDeletion.ts";
import { useDrafts } from "./useDrafts.ts";
import { useGridSearch } from "./useGridSearch.ts";
import { useLayout } from "./useLayout.ts";
import { useLive } from "./useLive.ts";
import { useNarrow } from "./useNarrow.ts";
import { useCount, usePages } from "./usePages.ts";

const START: Place = { row: 0, column: 0 };

/** The rows of a class, with what can be done to them. */
export function ClassGrid({ dataClass }: { dataClass: DataClass }) {
  const { t, count: say } = useTranslation();
  const { className } = dataClass;
  const toast = useToast();
  const { role } = useOperator();
  const [layout, setLayout, forgetLayout] = useLayout(className);
  // The same for as long as nothing is moved: rows that stand still are not drawn again.
  const all = useMemo(() => columnsOf(dataClass, layout), [dataClass, layout]);
  const isNarrow = useNarrow();
  const columns = useMemo(
    () =>
      all
        .filter(({ isHidden }) => !isHidden)
        // On a phone what is pinned would leave no room for the rest.
        .map((column) => (isNarrow ? { ...column, isPinned: false } : column)),
    [all, isNarrow],
  );
  const search = useGridSearch(dataClass, all);
  const { asked, as } = search;
  const [isExact, setIsExact] = useState(false);
  const pages = usePages(className, asked);
  const count = useCount(className, asked, { enabled: pages.rows !== undefined, isExact });
  const { news, forgetNews, flashing } = useLive(className, asked, search.isFollowed);
  const [selection, setSelection] = useState({ active: START, anchor: START });
  const { active, anchor } = selection;
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [edit, setEdit] = useState<{ place: Place; typed?: string | undefined } | undefined>(undefined);
  const [asking, setAsking] = useState<Asking | undefined>(undefined);
  const [editingFilter, setEditingFilter] = useState<number | "new" | undefined>(undefined);
  const drafting = useDrafts(className, pages.put);
  const { drafts, change } = drafting;
  const { deletion, ...deleting } = useDeletion(className, gone);
  const clipboard = useCopy(drafts);
  const rows = useMemo(() => rowsWithout(pages.rows, deletion?.target), [pages.rows, deletion?.target]);
  const mayChange = role !== "readOnly";
  const isBusy = drafts.size > 0 || deletion !== undefined;
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      drafts.size > 0 &&
      (current.pathname !== next.pathname || classIn(current.search) !== classIn(next.search)) &&
      !window.confirm(t("There are changes that are not saved. Leave without them?")),
    enableBeforeUnload: () => isBusy,
  });

  const save = useRef(drafting.save);
  save.current = () => drafts.size > 0 && !drafting.isSaving && drafting.save();
  const isFree = asking === undefined && search.row === undefined;
  useShortcuts({
    "mod+/": () => isFree && setEditingFilter("new"),
    ...(mayChange && {
      "mod+i": () => isFree && setAsking({ what: "new" }),
      "mod+s": () => {
        // What is being typed is saved too.
        if (edit && document.activeElement instanceof HTMLElement) document.activeElement.blur();
        requestAnimationFrame(() => save.current());
      },
    }),
  });

  const range = rangeOf(anchor, active);
  const selected = (rows ?? []).slice(range.top, range.bottom + 1);
  const selectedColumns = columns.slice(range.left, range.right + 1);

  function select(to: Place, from: Place = to): void {
    setSelection({ active: to, anchor: from });
  }

  function gone(target: Target, refused: ReadonlySet<string>): void {
    setPicked(new Set());
    if ("where" in target) readAgain();
    else {
      for (const id of target.ids) if (!refused.has(id)) pages.remove(id);
      void count.refetch();
    }
  }

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
    if (rows[place.row] && columns[place.column]) select(place);
  }

  function startEdit(place: Place, typed?: string): void {
    const row = rows?.[place.row];
    const column = columns[place.column];
    if (!row || !column || drafting.isSaving) return;
    select(place);
    if (isEditable(column, role) && isInline(column)) setEdit({ place, typed });
    else if (isEditable(column, role) || column.type === "Relation") editField(row, column);
    else if (typed === undefined) search.open(String(row.objectId));
  }

  /** In a dialog, with the editor of its type. */
  function editField(row: JsonObject, column: Column): void {
    setAsking({ what: column.type === "Relation" ? "relation" : "value", row, column });
  }

  function paste(text: string): void {
    if (!rows || !mayChange || drafting.isSaving || active.row < 0) return;
    const { cells, fixed, beyond } = pasted(text, range, rows, columns, role);
    drafting.paste(cells);
    if (fixed > 0) toast(say(fixed, "{n} cell cannot be changed.", "{n} cells cannot be changed."));
    if (beyond > 0) toast(say(beyond, "{n} cell is beyond the grid.", "{n} cells are beyond the grid."));
  }

  function clear(): void {
    if (!mayChange || drafting.isSaving || active.row < 0) return;
    const cells = selected.flatMap((row) =>
      selectedColumns
        .filter((column) => isEditable(column, role))
        .map((column) => ({ row, column, text: "", read: { value: null } })),
    );
    if (cells.length > 0) drafting.paste(cells);
  }

  function pick(some: readonly JsonObject[]): void {
    const ids = some.map(({ objectId }) => String(objectId));
    const next = new Set(picked);
    const areAll = ids.every((id) => next.has(id));
    for (const id of ids) areAll ? next.delete(id) : next.add(id);
    setPicked(next);
  }

  const editor = edit && editorOf(edit.place, edit.typed);
  function editorOf(place: Place, typed: string | undefined): GridProps["editor"] {
    const row = rows?.[place.row];
    const column = columns[place.column];
    if (!row || !column) return undefined;
    const refused = drafts.get(String(row.objectId))?.refused?.[column.name]?.text;
    const isChosen = column.type === "Boolean" || column.type === "Date";
    return {
      place,
      content: (
        <CellEditor
          column={column}
          value={valueIn(drafts, row, column.name)}
          typed={isChosen ? undefined : (typed ?? refused)}
          onDone={(value, by) => endEdit({ value }, by)}
          onCancel={() => endEdit()}
        />
      ),
    };
  }

  /** It goes elsewhere by that, and what is active with it. */
  function pin(name: string): void {
    const next = { ...layout, pinned: toggled(layout.pinned, name) };
    const shown = columnsOf(dataClass, next).filter(({ isHidden }) => !isHidden);
    setLayout(next);
    select({ row: active.row, column: shown.findIndex((column) => column.name === name) });
  }

  const hide = (name: string) => setLayout({ ...layout, hidden: toggled(layout.hidden, name) });

  const entries = {
    ...{ t, all, selected, selectedColumns, drafts, pin, hide },
    isHead: active.row < 0,
    mayDelete: mayChange && as === undefined,
    edit: () => startEdit(active),
    remove: (ids: string[]) => setAsking({ what: "delete", target: { ids } }),
  };

  function readAgain(): void {
    forgetNews();
    void Promise.all([pages.again(), count.refetch()]);
  }

  return (
    <section className="class-rows stack tight" aria-label={className}>
      <GridTools
        {...{ className, asked, count, news }}
        loaded={pages.rows?.length}
        isReading={pages.isRefetching}
        onNew={() => setAsking({ what: "new" })}
        onImport={() => setAsking({ what: "import" })}
        onUpdate={() => setAsking({ what: "update", target: { where: asked.where ?? {} } })}
        onDelete={() => setAsking({ what: "delete", target: { where: asked.where ?? {} } })}
        onColumns={() => setAsking({ what: "columns" })}
        onRead={readAgain}
        onCountAll={() => setIsExact(true)}
      />
      {pages.error !== null && rows === undefined && (
        <ErrorState error={pages.error} retry={() => void pages.refetch()} busy={pages.isFetching} />
      )}
      <div className="query-state">
        <StaleNote query={{ ...pages, data: rows }} />
      </div>
      <Filters
        columns={all.filter(({ type }) => type !== "Relation" && type !== "ACL")}
        filters={search.filters}
        as={as}
        editing={editingFilter}
        onEditing={setEditingFilter}
        onChange={search.filterBy}
        onAs={search.lookAs}
        onExplain={() => setAsking({ what: "explain" })}
      />
      {pages.slowMs !== undefined && (
        <Notice
          kind="info"
          title={t("The rows took {s} s to find", { s: (pages.slowMs / 1_000).toFixed(1) })}
          action={
            <Button small onClick={() => setAsking({ what: "explain" })}>
              {t("Why?")}
            </Button>
          }
        />
      )}
      {deletion && <DeletionBar deletion={deletion} onUndo={deleting.undo} onNow={deleting.now} />}
      <DraftBar
        {...drafting}
        onSave={drafting.save}
        onDrop={drafting.drop}
        onUndo={drafting.undo}
        onConflict={(draft) => setAsking({ what: "conflict", draft })}
      />
      {picked.size > 0 && deletion === undefined && (
        <PickedBar
          count={picked.size}
          mayChangeHere={as === undefined}
          onCopy={(format) =>
            void clipboard.copy(
              (rows ?? []).filter(({ objectId }) => picked.has(String(objectId))),
              all,
              format,
            )
          }
          onUpdate={() => setAsking({ what: "update", target: { ids: [...picked] } })}
          onDelete={() => setAsking({ what: "delete", target: { ids: [...picked] } })}
          onNone={() => setPicked(new Set())}
        />
      )}
      {rows ? (
        rows.length > 0 ? (
          <GridMenu groups={gridEntries({ ...search, ...clipboard, ...entries })}>
            <Grid
              label={t("Rows of {name}", { name: className })}
              question={JSON.stringify(asked)}
              isOld={pages.isPlaceholderData}
              columns={columns}
              rows={rows}
              count={count.data?.isCapped === false ? count.data.count : undefined}
              hasMore={pages.hasNextPage}
              onMore={() => {
                if (!pages.isFetching && !pages.isError) void pages.fetchNextPage();
              }}
              active={active}
              anchor={anchor}
              onSelect={select}
              order={search.order}
              onSort={search.sort}
              onResize={(name, width) =>
                setLayout({ ...layout, widths: { ...layout.widths, [name]: within(width) } })
              }
              onMoveColumn={(name, to) => setLayout({ ...layout, order: movedTo(all, name, to) })}
              onPin={pin}
              onHide={hide}
              drafts={drafts}
              flashing={flashing}
              picked={picked}
              onPick={pick}
              editor={editor}
              onEdit={startEdit}
              onOpen={(at) => search.open(String(rows[at]?.objectId))}
              textOf={() => (active.row < 0 ? undefined : clipboard.textOf(selected, selectedColumns, "tsv"))}
              onPaste={paste}
              onClear={clear}
              onUndo={drafting.undo}
              onRevert={drafting.drop}
            />
          </GridMenu>
        ) : (
          <EmptyState
            title={
              deletion
                ? t("All of these rows are taken out")
                : asked.where || as !== undefined
                  ? t("No row fulfils the filters")
                  : t("There is no row yet")
            }
          />
        )
      ) : (
        pages.error === null && <SkeletonList rows={8} label={t("Loading the rows")} />
      )}
      <GridDialogs
        {...{ dataClass, layout, setLayout, forgetLayout, asking, pages, drafting, search, rows, deleting }}
        columns={all}
        onAsking={setAsking}
        onEditField={editField}
        onRead={readAgain}
      />
    </section>
  );
}

/** Without those that are on their way out. */
function rowsWithout(rows: readonly JsonObject[] | undefined, target: Target | undefined) {
  if (!rows || !target) return rows;
  if ("where" in target) return [];
  const ids = new Set(target.ids);
  return rows.filter(({ objectId }) => !ids.has(String(objectId)));
}

function classIn(search: unknown): unknown {
  return typeof search === "object" && search !== null && "class" in search ? search.class : undefined;
}
