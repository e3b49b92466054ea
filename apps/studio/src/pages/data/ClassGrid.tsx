import { type JsonObject, type JsonValue, ownValue } from "@purse/protocol";
import {
  Button,
  EmptyState,
  ErrorState,
  formatDuration,
  Notice,
  SkeletonList,
  StaleNote,
  useShortcuts,
  useToast,
  useTranslation,
  useUnsaved,
} from "@purse/ui";
import { useMemo, useRef, useState } from "react";
import { useIsNarrow } from "../../components/useIsNarrow.ts";
import { useOperator } from "../../StudioContext.tsx";
import { BulkActionsBar } from "./BulkActionsBar.tsx";
import type { Target } from "./bulkChanges.ts";
import { CellEditor } from "./CellEditor.tsx";
import { cellEditMode, isEditable } from "./cellEditMode.ts";
import type { CellPosition } from "./cellPosition.ts";
import { DEFAULT_CHART } from "./chart.ts";
import { pasteCells } from "./clipboard.ts";
import { type Column, clampWidth, columnsOf, type DataClass, moveTo, toggle } from "./columns.ts";
import { DeletionBar } from "./DeletionBar.tsx";
import { DraftBar } from "./DraftBar.tsx";
import { Filters } from "./Filters.tsx";
import { Grid, type GridProps } from "./Grid.tsx";
import { type GridDialog, GridDialogs } from "./GridDialogs.tsx";
import { GridMenu } from "./GridMenu.tsx";
import { GridTools } from "./GridTools.tsx";
import { gridMenuEntries } from "./gridMenuEntries.ts";
import { SavedViews } from "./SavedViews.tsx";
import { rangeOf } from "./selection.ts";
import { draftValue, useCopy } from "./useCopy.ts";
import { useDeletion } from "./useDeletion.ts";
import { useDrafts } from "./useDrafts.ts";
import { useGridSearch } from "./useGridSearch.ts";
import { useLayout } from "./useLayout.ts";
import { useLive } from "./useLive.ts";
import { useCount, useRowPages } from "./useRowPages.ts";

const ORIGIN: CellPosition = { row: 0, column: 0 };

/** The data grid of a class with its tools and dialogs. */
export function ClassGrid({ dataClass }: { dataClass: DataClass }) {
  const { t, language } = useTranslation();
  const { className } = dataClass;
  const toast = useToast();
  const { role } = useOperator();
  const [layout, setLayout, resetLayout] = useLayout(className);
  // Memoized, so that unchanged rows do not re-render.
  const allColumns = useMemo(() => columnsOf(dataClass, layout), [dataClass, layout]);
  const isNarrow = useIsNarrow();
  const columns = useMemo(
    () =>
      allColumns
        .filter(({ isHidden }) => !isHidden)
        // On phones, pinned columns would leave no space for the others.
        .map((column) => (isNarrow ? { ...column, isPinned: false } : column)),
    [allColumns, isNarrow],
  );
  const search = useGridSearch(dataClass, allColumns);
  const { query, as } = search;
  const [isExact, setIsExact] = useState(false);
  const pages = useRowPages(className, query);
  const count = useCount(className, query, { enabled: pages.rows !== undefined, isExact });
  const { newRowCount, clearNewRows, flashing } = useLive(className, query, search.isLive);
  const [selection, setSelection] = useState({ active: ORIGIN, anchor: ORIGIN });
  const { active, anchor } = selection;
  const [checkedIds, setCheckedIds] = useState<ReadonlySet<string>>(new Set());
  const [edit, setEdit] = useState<{ position: CellPosition; initialText?: string | undefined } | undefined>(
    undefined,
  );
  const [dialog, setDialog] = useState<GridDialog | undefined>(undefined);
  const [filteredColumn, setFilteredColumn] = useState<string | undefined>(undefined);
  const [editingFilter, setEditingFilter] = useState<number | "new" | undefined>(undefined);
  const drafting = useDrafts(className, pages.replace);
  const { drafts, change } = drafting;
  const { deletion, ...deleting } = useDeletion(className, handleDeleted);
  const clipboard = useCopy(drafts);
  const rows = useMemo(() => excludeRows(pages.rows, deletion?.target), [pages.rows, deletion?.target]);
  const canEdit = role !== "readOnly";
  useUnsaved(
    drafts.size > 0,
    (from, to) => from.pathname !== to.pathname || classParam(from.search) !== classParam(to.search),
  );
  // It goes on while other pages are open, but ends with the tab.
  useUnsaved(deletion !== undefined, () => false);

  const save = useRef(drafting.save);
  save.current = () => drafts.size > 0 && !drafting.isSaving && drafting.save();
  const canOpenDialog = dialog === undefined && search.row === undefined;
  useShortcuts({
    "mod+/": () => canOpenDialog && setEditingFilter("new"),
    ...(canEdit && {
      "mod+i": () => canOpenDialog && setDialog({ kind: "new" }),
      "mod+s": () => {
        // Commits the open editor before saving.
        if (edit && document.activeElement instanceof HTMLElement) document.activeElement.blur();
        requestAnimationFrame(() => save.current());
      },
    }),
  });

  const range = rangeOf(anchor, active);
  const selected = (rows ?? []).slice(range.top, range.bottom + 1);
  const selectedColumns = columns.slice(range.left, range.right + 1);

  function select(to: CellPosition, from: CellPosition = to): void {
    setSelection({ active: to, anchor: from });
  }

  function handleDeleted(target: Target, failedIds: ReadonlySet<string>): void {
    setCheckedIds(new Set());
    if ("where" in target) refresh();
    else {
      for (const id of target.ids) if (!failedIds.has(id)) pages.remove(id);
      void count.refetch();
    }
  }

  /** Ends editing with a value, or undefined when canceled, and moves to the next cell. */
  function endEdit(edited?: { value: JsonValue }, direction?: "down" | "next" | "previous"): void {
    const row = edit && rows?.[edit.position.row];
    const column = edit && columns[edit.position.column];
    if (row && column && edited) change(row, column.name, edited.value);
    setEdit(undefined);
    if (!edit || !direction || !rows) return;
    const position = {
      row: edit.position.row + (direction === "down" ? 1 : 0),
      column: edit.position.column + (direction === "next" ? 1 : direction === "previous" ? -1 : 0),
    };
    if (rows[position.row] && columns[position.column]) select(position);
  }

  function startEdit(position: CellPosition, initialText?: string): void {
    const row = rows?.[position.row];
    const column = columns[position.column];
    if (!row || !column || drafting.isSaving) return;
    select(position);
    const mode = cellEditMode(column, role);
    if (mode === "inline") setEdit({ position, initialText });
    else if (mode !== "none") setDialog({ kind: mode, row, column });
    else if (initialText === undefined) search.open(String(row.objectId));
  }

  /** Opens the editor dialog of a field. */
  function editField(row: JsonObject, column: Column): void {
    setDialog({ kind: column.type === "Relation" ? "relation" : "value", row, column });
  }

  function paste(text: string): void {
    if (!rows || !canEdit || drafting.isSaving || active.row < 0) return;
    const { cells, readOnlyCount, outOfRangeCount } = pasteCells(text, range, rows, columns, role);
    drafting.paste(cells);
    if (readOnlyCount > 0)
      toast(t("{n, plural, one {# cell is read-only} other {# cells are read-only}}", { n: readOnlyCount }));
    if (outOfRangeCount > 0)
      toast(
        t("{n, plural, one {# cell is outside the grid} other {# cells are outside the grid}}", {
          n: outOfRangeCount,
        }),
      );
  }

  function clear(): void {
    if (!canEdit || drafting.isSaving || active.row < 0) return;
    const cells = selected.flatMap((row) =>
      selectedColumns
        .filter((column) => isEditable(column, role))
        .map((column) => ({ row, column, text: "", parsed: { value: null } })),
    );
    if (cells.length > 0) drafting.paste(cells);
  }

  function toggleRows(some: readonly JsonObject[]): void {
    const ids = some.map(({ objectId }) => String(objectId));
    const next = new Set(checkedIds);
    const isEveryChecked = ids.every((id) => next.has(id));
    for (const id of ids) isEveryChecked ? next.delete(id) : next.add(id);
    setCheckedIds(next);
  }

  const editor = edit && editorOf(edit.position, edit.initialText);
  function editorOf(position: CellPosition, initialText: string | undefined): GridProps["editor"] {
    const row = rows?.[position.row];
    const column = columns[position.column];
    if (!row || !column) return undefined;
    const invalid = ownValue(drafts.get(String(row.objectId))?.invalid ?? {}, column.name)?.text;
    const isPickerInput = column.type === "Boolean" || column.type === "Date";
    return {
      position,
      content: (
        <CellEditor
          column={column}
          value={draftValue(drafts, row, column.name)}
          initialText={isPickerInput ? undefined : (initialText ?? invalid)}
          onDone={(value, direction) => endEdit({ value }, direction)}
          onInvalid={(text, problem) => {
            drafting.paste([{ row, column, text, parsed: { problem } }]);
            endEdit();
          }}
          onCancel={() => endEdit()}
        />
      ),
    };
  }

  /** Toggles a pinned column and keeps it active at its new position. */
  function pin(name: string): void {
    const next = { ...layout, pinned: toggle(layout.pinned, name) };
    const shown = columnsOf(dataClass, next).filter(({ isHidden }) => !isHidden);
    setLayout(next);
    select({ row: active.row, column: shown.findIndex((column) => column.name === name) });
  }

  const hide = (name: string) => setLayout({ ...layout, hidden: toggle(layout.hidden, name) });

  const menuOptions = {
    ...{ t, allColumns, selected, selectedColumns, drafts, pin, hide },
    isHeader: active.row < 0,
    mayDelete: canEdit && as === undefined,
    edit: () => startEdit(active),
    remove: (ids: string[]) => setDialog({ kind: "delete", target: { ids } }),
  };

  function refresh(): void {
    clearNewRows();
    void Promise.all([pages.refresh(), count.refetch()]);
  }

  return (
    <section className="class-rows stack tight" aria-label={className}>
      <div className="data-head">
        <GridTools
          {...{ className, query, count, newRowCount }}
          loaded={pages.rows?.length}
          isRefreshing={pages.isRefetching}
          onDialog={setDialog}
          onRefresh={refresh}
          onCountExact={() => setIsExact(true)}
        />
        <Filters
          fields={allColumns}
          filters={search.filters}
          as={as}
          editing={editingFilter}
          onEditing={setEditingFilter}
          onChange={search.filterBy}
          onAs={search.viewAs}
          onExplain={() => setDialog({ kind: "explain" })}
          onChart={as === undefined ? () => search.showChart(search.chart ?? DEFAULT_CHART) : undefined}
        >
          <SavedViews
            className={className}
            current={{ filter: search.filters, order: search.order }}
            onOpen={search.openView}
          />
        </Filters>
      </div>
      {pages.error !== null && rows === undefined && (
        <ErrorState error={pages.error} retry={() => void pages.refetch()} busy={pages.isFetching} />
      )}
      <div className="query-state">
        <StaleNote query={{ ...pages, data: rows }} />
      </div>
      {pages.slowMs !== undefined && (
        <Notice
          kind="info"
          title={t("Slow query: {time}", { time: formatDuration(pages.slowMs, language) })}
          action={
            <Button small onClick={() => setDialog({ kind: "explain" })}>
              {t("View query plan")}
            </Button>
          }
        />
      )}
      {deletion && <DeletionBar deletion={deletion} onUndo={deleting.undo} onNow={deleting.runNow} />}
      <DraftBar
        {...drafting}
        onSave={drafting.save}
        onDiscard={drafting.discard}
        onUndo={drafting.undo}
        onConflict={(draft) => setDialog({ kind: "conflict", draft })}
      />
      {checkedIds.size > 0 && deletion === undefined && (
        <BulkActionsBar
          count={checkedIds.size}
          canEditRows={as === undefined}
          onCopy={(format) =>
            void clipboard.copy(
              (rows ?? []).filter(({ objectId }) => checkedIds.has(String(objectId))),
              allColumns,
              format,
            )
          }
          onDialog={(kind) => setDialog({ kind, target: { ids: [...checkedIds] } })}
          onClearSelection={() => setCheckedIds(new Set())}
        />
      )}
      {rows ? (
        rows.length > 0 ? (
          <GridMenu groups={gridMenuEntries({ ...search, ...clipboard, ...menuOptions })}>
            <Grid
              label={t("Rows of {name}", { name: className })}
              queryKey={JSON.stringify(query)}
              isStale={pages.isPlaceholderData}
              columns={columns}
              rows={rows}
              count={count.data?.isCapped === false ? count.data.count : undefined}
              hasMore={pages.hasNextPage}
              onMore={() => {
                if (!pages.isFetching && !pages.isError) void pages.fetchNextPage();
              }}
              onEnd={() =>
                toast(t("Only the first {n, number} rows are loaded.", { n: rows.length }), {
                  label: t("Begin with the last row"),
                  run: search.reverse,
                })
              }
              active={active}
              anchor={anchor}
              onSelect={select}
              order={search.order}
              onSort={search.sort}
              onResize={(name, width) =>
                setLayout({ ...layout, widths: { ...layout.widths, [name]: clampWidth(width) } })
              }
              onMoveColumn={(name, to) => setLayout({ ...layout, order: moveTo(allColumns, name, to) })}
              filters={search.filters}
              onFilter={search.filterBy}
              filteredColumn={filteredColumn}
              onFilteredColumn={setFilteredColumn}
              onPin={pin}
              onHide={hide}
              drafts={drafts}
              flashing={flashing}
              checkedIds={checkedIds}
              onToggleRows={toggleRows}
              editor={editor}
              onEdit={startEdit}
              onOpen={(at) => search.open(String(rows[at]?.objectId))}
              getClipboardText={() =>
                active.row < 0 ? undefined : clipboard.serialize(selected, selectedColumns, "tsv")
              }
              onPaste={paste}
              onClear={clear}
              onUndo={drafting.undo}
              onRevert={drafting.discard}
            />
          </GridMenu>
        ) : (
          <EmptyState
            title={
              deletion
                ? t("All matching rows are marked for deletion")
                : query.where || as !== undefined
                  ? t("No rows match the filters")
                  : t("No rows yet")
            }
          />
        )
      ) : (
        pages.error === null && <SkeletonList rows={8} label={t("Loading rows…")} />
      )}
      <GridDialogs
        {...{ dataClass, layout, setLayout, resetLayout, dialog, pages, drafting, search, rows, deleting }}
        columns={allColumns}
        setDialog={setDialog}
        onEditField={editField}
        onRefresh={refresh}
      />
    </section>
  );
}

/** Excludes rows that are pending deletion. */
function excludeRows(rows: readonly JsonObject[] | undefined, target: Target | undefined) {
  if (!rows || !target) return rows;
  if ("where" in target) return [];
  const ids = new Set(target.ids);
  return rows.filter(({ objectId }) => !ids.has(String(objectId)));
}

function classParam(search: unknown): unknown {
  return typeof search === "object" && search !== null && "class" in search ? search.class : undefined;
}
