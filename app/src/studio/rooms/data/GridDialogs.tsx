import type { JsonObject } from "@purse/protocol";
import type { Dispatch, SetStateAction } from "react";
import { useOperator } from "../../StudioContext.tsx";
import type { Target } from "./bulk.ts";
import { ColumnList } from "./ColumnList.tsx";
import { Conflict } from "./Conflict.tsx";
import type { Column, DataClass, Layout } from "./columns.ts";
import { DeleteRows } from "./DeleteRows.tsx";
import { type Draft, isEditable } from "./drafts.ts";
import { Explain } from "./Explain.tsx";
import { RelationDialog } from "./editors/RelationDialog.tsx";
import { ImportRows } from "./ImportRows.tsx";
import { NewRow } from "./NewRow.tsx";
import { RowPanel } from "./RowPanel.tsx";
import { UpdateRows } from "./UpdateRows.tsx";
import { valueIn } from "./useCopy.ts";
import type { useDeletion } from "./useDeletion.ts";
import type { useDrafts } from "./useDrafts.ts";
import type { useGridSearch } from "./useGridSearch.ts";
import type { usePages } from "./usePages.ts";
import { ValueDialog } from "./ValueDialog.tsx";

/** Which question stands over the grid. */
export type Asking =
  | { what: "new" | "import" | "columns" | "explain" }
  | { what: "update" | "delete"; target: Target }
  | { what: "value" | "relation"; row: JsonObject; column: Column }
  | { what: "conflict"; draft: Draft };

/** The windows of the room: the row that the address names, and over it what is asked. */
export function GridDialogs(props: {
  dataClass: DataClass;
  columns: readonly Column[];
  layout: Layout;
  setLayout: (layout: Layout) => void;
  forgetLayout: () => void;
  rows: readonly JsonObject[] | undefined;
  pages: ReturnType<typeof usePages>;
  drafting: ReturnType<typeof useDrafts>;
  deleting: Pick<ReturnType<typeof useDeletion>, "begin">;
  search: ReturnType<typeof useGridSearch>;
  asking: Asking | undefined;
  onAsking: Dispatch<SetStateAction<Asking | undefined>>;
  onEditField: (row: JsonObject, column: Column) => void;
  onRead: () => void;
}) {
  const { dataClass, columns, rows, pages, drafting, search, asking, onAsking, onEditField } = props;
  const { className } = dataClass;
  const { role } = useOperator();
  const editable = columns.filter((column) => isEditable(column, role));
  const close = () => onAsking(undefined);
  const { row: open } = search;
  const at = open === undefined ? -1 : (rows ?? []).findIndex(({ objectId }) => objectId === open);
  const beside = (by: 1 | -1) => {
    const other = at < 0 ? undefined : rows?.[at + by];
    return other && (() => search.open(String(other.objectId)));
  };
  return (
    <>
      {open !== undefined && (
        <RowPanel
          className={className}
          objectId={open}
          row={rows?.[at]}
          columns={columns}
          tab={search.tab}
          draft={drafting.drafts.get(open)}
          steps={drafting.steps}
          as={search.as}
          onTab={search.showTab}
          onEdit={onEditField}
          onRevert={(row, field) => drafting.change(row, field, row[field] ?? null)}
          onOpen={(target, id) => search.open(id, target === className ? undefined : target)}
          onBefore={beside(-1)}
          onAfter={beside(1)}
          onClose={() => search.open(undefined)}
        />
      )}
      {asking?.what === "new" && (
        <NewRow className={className} columns={editable} onDone={pages.add} onClose={close} />
      )}
      {asking?.what === "import" && (
        <ImportRows className={className} columns={editable} onDone={props.onRead} onClose={close} />
      )}
      {asking?.what === "explain" && <Explain className={className} asked={search.asked} onClose={close} />}
      {asking?.what === "update" && (
        <UpdateRows
          className={className}
          target={asking.target}
          columns={editable}
          onDone={props.onRead}
          onClose={close}
        />
      )}
      {asking?.what === "delete" && (
        <DeleteRows
          className={className}
          target={asking.target}
          onDo={(count) => {
            props.deleting.begin(asking.target, count);
            close();
          }}
          onClose={close}
        />
      )}
      {asking?.what === "value" && (
        <ValueDialog
          column={asking.column}
          value={valueIn(drafting.drafts, asking.row, asking.column.name)}
          typed={drafting.drafts.get(String(asking.row.objectId))?.refused?.[asking.column.name]?.text}
          onDone={(value) => {
            drafting.change(asking.row, asking.column.name, value);
            close();
          }}
          onCancel={close}
        />
      )}
      {asking?.what === "relation" && (
        <RelationDialog
          className={className}
          objectId={String(asking.row.objectId)}
          column={asking.column}
          expectedUpdatedAt={drafting.drafts.get(String(asking.row.objectId))?.expectedUpdatedAt}
          onChanged={(row) => {
            pages.put(row);
            drafting.follow(row);
          }}
          onOpen={(target, id) => {
            close();
            search.open(id, target === className ? undefined : target);
          }}
          onClose={close}
        />
      )}
      {asking?.what === "conflict" && (
        <Conflict
          draft={asking.draft}
          onCancel={close}
          onDone={(left) => {
            const { objectId, current } = asking.draft;
            // What stands there now is what the others' values are compared with.
            if (current) pages.put(current);
            drafting.replace(objectId, left);
            close();
          }}
        />
      )}
      {asking?.what === "columns" && (
        <ColumnList
          open
          columns={columns}
          layout={props.layout}
          onChange={props.setLayout}
          onReset={props.forgetLayout}
          onClose={close}
        />
      )}
    </>
  );
}
