import { Button, useTranslation } from "@purse/ui";
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ListSection, type ListSectionProps } from "./ListSection.tsx";
import { type Removal, RemovalDialog } from "./RemovalDialog.tsx";

export type CrudSectionProps<Row> = ListSectionProps<Row> & {
  /** Whether the operator may change rows; otherwise the buttons are disabled. */
  canEdit: boolean;
  /** The button that creates a row; without it the section does not create any. */
  create?: string;
  canCreate?: boolean;
  /** The accessible name of the button that edits a row; undefined for rows that cannot be edited. */
  editLabel?: (row: Row) => string | undefined;
  /** The form that creates a row, or edits one. */
  form?: (row: Row | undefined, onClose: () => void) => ReactNode;
  removal?: Removal<Row>;
};

/** A list whose rows can be created, edited and removed. */
export function CrudSection<Row>(props: CrudSectionProps<Row>) {
  const { canEdit, create, canCreate = true, editLabel, form, removal, ...list } = props;
  const { t } = useTranslation();
  const [editing, setEditing] = useState<{ row: Row | undefined } | undefined>(undefined);
  const [removing, setRemoving] = useState<{ row: Row; isOpen: boolean } | undefined>(undefined);
  return (
    <ListSection
      {...list}
      buttons={
        <>
          {list.buttons}
          {create && (
            <Button
              icon={Plus}
              small
              disabled={!canEdit || !canCreate}
              onClick={() => setEditing({ row: undefined })}
            >
              {create}
            </Button>
          )}
        </>
      }
      actions={(row) => {
        const label = editLabel?.(row);
        return (
          <span className="actions">
            {list.actions?.(row)}
            {label !== undefined && (
              <Button small disabled={!canEdit} onClick={() => setEditing({ row })} aria-label={label}>
                {t("Edit")}
              </Button>
            )}
            {removal && (removal.isPossible?.(row) ?? true) && (
              <Button
                small
                variant="danger"
                disabled={!canEdit}
                onClick={() => setRemoving({ row, isOpen: true })}
                aria-label={removal.label(row)}
              >
                {removal.verb ?? t("Remove")}
              </Button>
            )}
          </span>
        );
      }}
    >
      {editing && form?.(editing.row, () => setEditing(undefined))}
      {removal && removing && (
        <RemovalDialog
          key={list.rowKey(removing.row)}
          removal={removal}
          row={removing.row}
          open={removing.isOpen}
          onClose={() => setRemoving({ ...removing, isOpen: false })}
        />
      )}
      {list.children}
    </ListSection>
  );
}
