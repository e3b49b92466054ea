import { type JsonObject, ownValue } from "@purse/protocol";
import { LazyDialog, useTranslation, ValueDialog } from "@purse/ui";
import { type Dispatch, lazy, type SetStateAction } from "react";
import { useOperator } from "../../StudioContext.tsx";
import type { Target } from "./bulkChanges.ts";
import { ColumnList } from "./ColumnList.tsx";
import { Conflict } from "./Conflict.tsx";
import { isEditable } from "./cellEditMode.ts";
import type { Column, DataClass, Layout } from "./columns.ts";
import { DeleteRows } from "./DeleteRows.tsx";
import type { Draft } from "./drafts.ts";
import { Explain } from "./Explain.tsx";
import { RelationDialog } from "./editors/RelationDialog.tsx";
import { ImportRows } from "./ImportRows.tsx";
import { NewRow } from "./NewRow.tsx";
import { RowPanel } from "./RowPanel.tsx";
import { UpdateRows } from "./UpdateRows.tsx";
import { draftValue } from "./useCopy.ts";
import type { useDeletion } from "./useDeletion.ts";
import type { useDrafts } from "./useDrafts.ts";
import type { useGridSearch } from "./useGridSearch.ts";
import type { useRowPages } from "./useRowPages.ts";
import { useSaveView } from "./useSavedViews.ts";

const ChartDialog = lazy(() =>
  import("./ChartDialog.tsx").then((module) => ({ default: module.ChartDialog })),
);

/** The open dialog. */
export type GridDialog =
  | { kind: "new" | "import" | "columns" | "explain" }
  | { kind: "update" | "delete"; target: Target }
  | { kind: "value" | "relation"; row: JsonObject; column: Column }
  | { kind: "conflict"; draft: Draft };

export interface GridDialogsProps {
  dataClass: DataClass;
  columns: readonly Column[];
  layout: Layout;
  setLayout: (layout: Layout) => void;
  resetLayout: () => void;
  rows: readonly JsonObject[] | undefined;
  pages: ReturnType<typeof useRowPages>;
  drafting: ReturnType<typeof useDrafts>;
  deleting: Pick<ReturnType<typeof useDeletion>, "begin">;
  search: ReturnType<typeof useGridSearch>;
  dialog: GridDialog | undefined;
  setDialog: Dispatch<SetStateAction<GridDialog | undefined>>;
  onEditField: (row: JsonObject, column: Column) => void;
  onRefresh: () => void;
}

/** The dialogs of the grid and the row panel. */
export function GridDialogs(props: GridDialogsProps) {
  const { dataClass, columns, rows, pages, drafting, search, dialog, setDialog, onEditField } = props;
  const { className } = dataClass;
  const { role } = useOperator();
  const { t } = useTranslation();
  const saveView = useSaveView(className, t("View saved"));
  const editable = columns.filter((column) => isEditable(column, role));
  const close = () => setDialog(undefined);
  const { row: openId } = search;
  const index = openId === undefined ? -1 : (rows ?? []).findIndex(({ objectId }) => objectId === openId);
  const adjacentRow = (by: 1 | -1) => {
    const other = index < 0 ? undefined : rows?.[index + by];
    return other && (() => search.open(String(other.objectId)));
  };
  return (
    <>
      {openId !== undefined && (
        <RowPanel
          className={className}
          objectId={openId}
          row={rows?.[index]}
          columns={columns}
          tab={search.tab}
          draft={drafting.drafts.get(openId)}
          steps={drafting.steps}
          as={search.as}
          onTab={search.showTab}
          onEdit={onEditField}
          onRevert={(row, field) => drafting.change(row, field, ownValue(row, field) ?? null)}
          onOpen={(target, id) => search.open(id, target === className ? undefined : target)}
          onPrevious={adjacentRow(-1)}
          onNext={adjacentRow(1)}
          onClose={() => search.open(undefined)}
        />
      )}
      {dialog?.kind === "new" && (
        <NewRow className={className} columns={editable} onDone={pages.add} onClose={close} />
      )}
      {dialog?.kind === "import" && (
        <ImportRows
          className={className}
          existingFields={Object.keys(dataClass.fields)}
          columns={editable}
          onDone={props.onRefresh}
          onClose={close}
        />
      )}
      {dialog?.kind === "explain" && <Explain className={className} query={search.query} onClose={close} />}
      {search.chart && search.as === undefined && (
        <LazyDialog onClose={() => search.showChart(undefined)}>
          <ChartDialog
            className={className}
            columns={columns}
            where={search.query.where}
            chart={search.chart}
            onChange={search.showChart}
            onSave={(name) => {
              const { filters: filter, order, chart } = search;
              saveView.mutate({ name, view: { filter: [...filter], order, chart }, isShared: false });
            }}
            saveError={saveView.error}
            onClose={() => search.showChart(undefined)}
          />
        </LazyDialog>
      )}
      {dialog?.kind === "update" && (
        <UpdateRows
          className={className}
          target={dialog.target}
          columns={editable}
          onDone={props.onRefresh}
          onClose={close}
        />
      )}
      {dialog?.kind === "delete" && (
        <DeleteRows
          className={className}
          target={dialog.target}
          onConfirm={(count) => {
            props.deleting.begin(dialog.target, count);
            close();
          }}
          onClose={close}
        />
      )}
      {dialog?.kind === "value" && (
        <ValueDialog
          field={dialog.column}
          value={draftValue(drafting.drafts, dialog.row, dialog.column.name)}
          initialText={drafting.drafts.get(String(dialog.row.objectId))?.invalid?.[dialog.column.name]?.text}
          onDone={(value) => {
            drafting.change(dialog.row, dialog.column.name, value);
            close();
          }}
          onCancel={close}
        />
      )}
      {dialog?.kind === "relation" && (
        <RelationDialog
          className={className}
          objectId={String(dialog.row.objectId)}
          column={dialog.column}
          expectedUpdatedAt={drafting.drafts.get(String(dialog.row.objectId))?.expectedUpdatedAt}
          onChanged={(row) => {
            pages.replace(row);
            drafting.rebase(row);
          }}
          onOpen={(target, id) => {
            close();
            search.open(id, target === className ? undefined : target);
          }}
          onClose={close}
        />
      )}
      {dialog?.kind === "conflict" && (
        <Conflict
          draft={dialog.draft}
          onCancel={close}
          onDone={(remaining) => {
            const { objectId, current } = dialog.draft;
            // The current row is the base of the remaining changes.
            if (current) pages.replace(current);
            drafting.replace(objectId, remaining);
            close();
          }}
        />
      )}
      {dialog?.kind === "columns" && (
        <ColumnList
          open
          columns={columns}
          layout={props.layout}
          onChange={props.setLayout}
          onReset={props.resetLayout}
          onClose={close}
        />
      )}
    </>
  );
}
