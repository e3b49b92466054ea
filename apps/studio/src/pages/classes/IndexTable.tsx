import type { StudioClass } from "@purse/server/studio-api";
import { Button, useTranslation } from "@purse/ui";
import { Plus } from "lucide-react";
import { DialogButton } from "../../components/DialogButton.tsx";
import { ListSection } from "../../components/ListSection.tsx";
import { useHasRole } from "../../StudioContext.tsx";
import { type Draft, fieldRows, indexRows, withChange } from "./classDraft.ts";
import { ChangeBadge } from "./FieldTable.tsx";
import { IndexForm } from "./IndexForm.tsx";

export interface IndexTableProps {
  row: StudioClass;
  draft: Draft;
  onDraft: (draft: Draft) => void;
}

/** The indexes of a class with the draft applied, without the one on objectId. */
export function IndexTable({ row, draft, onDraft }: IndexTableProps) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const rows = indexRows(row, draft);
  const directions = { "1": t("ascending"), "-1": t("descending"), text: t("full text") };
  return (
    <ListSection
      title={t("Indexes")}
      buttons={
        <DialogButton
          small
          icon={Plus}
          disabled={!canEdit}
          label={t("Add index")}
          dialog={(close) => (
            <IndexForm
              fields={fieldRows(row, draft)
                .filter(
                  ({ change, field, name }) =>
                    change !== "gone" && field.type !== "Relation" && name !== "ACL",
                )
                .map(({ name }) => name)}
              existingNames={rows.map(({ name }) => name)}
              onClose={close}
              onSave={(name, index) => onDraft(withChange(draft, "indexes", name, index))}
            />
          )}
        />
      }
      rows={rows}
      rowKey={({ name }) => name}
      empty={{
        title: t("No indexes yet"),
        text: t("objectId is always indexed. Add indexes for frequent filters and sorts."),
      }}
      columns={[
        { label: t("Name"), cell: ({ name }) => <code>{name}</code> },
        {
          label: t("Fields"),
          cell: ({ index }) =>
            Object.entries(index)
              .map(([field, direction]) => `${field} ${directions[direction]}`)
              .join(", "),
        },
        { label: t("Pending change"), cell: ({ change }) => <ChangeBadge change={change} /> },
      ]}
      actions={({ name, change }) =>
        change === undefined ? (
          <Button
            small
            variant="danger"
            disabled={!canEdit}
            onClick={() => onDraft(withChange(draft, "indexes", name, null))}
            aria-label={t("Remove index {name}", { name })}
          >
            {t("Remove")}
          </Button>
        ) : (
          <Button
            small
            onClick={() => onDraft(withChange(draft, "indexes", name, undefined))}
            aria-label={t("Undo change to {name}", { name })}
          >
            {t("Undo")}
          </Button>
        )
      }
    />
  );
}
