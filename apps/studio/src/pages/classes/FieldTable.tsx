import type { StudioClass } from "@purse/server/studio-api";
import { Button, Status, useTranslation } from "@purse/ui";
import { Plus } from "lucide-react";
import { useState } from "react";
import { ListSection } from "../../components/ListSection.tsx";
import { useHasRole } from "../../StudioContext.tsx";
import {
  type Change,
  COMMON_FIELDS,
  type Draft,
  type FieldRow,
  fieldRows,
  withChange,
} from "./classDraft.ts";
import { FieldForm } from "./FieldForm.tsx";

export interface FieldTableProps {
  row: StudioClass;
  classes: readonly string[];
  draft: Draft;
  onDraft: (draft: Draft) => void;
}

/** The fields of a class with the draft applied. */
export function FieldTable({ row, classes, draft, onDraft }: FieldTableProps) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const [editing, setEditing] = useState<FieldRow | "new" | undefined>(undefined);
  const rows = fieldRows(row, draft);
  return (
    <ListSection
      title={t("Fields")}
      buttons={
        <Button icon={Plus} small disabled={!canEdit} onClick={() => setEditing("new")}>
          {t("Add field")}
        </Button>
      }
      rows={rows}
      rowKey={({ name }) => name}
      empty={{ title: t("No fields") }}
      columns={[
        { label: t("Name"), cell: ({ name }) => <code>{name}</code> },
        {
          label: t("Type"),
          cell: ({ field: { type, targetClass } }) =>
            targetClass === undefined ? type : `${type} → ${targetClass}`,
        },
        {
          label: t("Required"),
          hideOnPhone: true,
          cell: ({ field: { required } }) => (required ? t("yes") : <span className="soft">{t("no")}</span>),
        },
        {
          label: t("Default value"),
          hideOnPhone: true,
          cell: ({ field: { defaultValue } }) =>
            defaultValue === undefined ? (
              <span className="soft">{t("none")}</span>
            ) : (
              <code className="cut">{JSON.stringify(defaultValue)}</code>
            ),
        },
        { label: t("Pending change"), cell: ({ change }) => <ChangeBadge change={change} /> },
      ]}
      actions={(fieldRow) => (
        <FieldActions
          row={fieldRow}
          onEdit={() => setEditing(fieldRow)}
          onRemove={() => onDraft(withChange(draft, "fields", fieldRow.name, null))}
          onUndo={() => onDraft(withChange(draft, "fields", fieldRow.name, undefined))}
        />
      )}
    >
      {editing !== undefined && (
        <FieldForm
          known={editing === "new" ? undefined : editing}
          canChangeType={editing === "new" || editing.change === "new"}
          existingNames={rows.map(({ name }) => name)}
          classes={classes}
          onClose={() => setEditing(undefined)}
          onSave={(name, field) => onDraft(withChange(draft, "fields", name, field))}
        />
      )}
    </ListSection>
  );
}

interface FieldActionsProps {
  row: FieldRow;
  onEdit: () => void;
  onRemove: () => void;
  onUndo: () => void;
}

function FieldActions({ row: { name, change }, onEdit, onRemove, onUndo }: FieldActionsProps) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  // The values go with the field.
  const canRemove = useHasRole("owner");
  if (COMMON_FIELDS.includes(name)) return <span className="soft">{t("system field")}</span>;
  return (
    <span className="actions">
      {change !== undefined && (
        <Button small onClick={onUndo} aria-label={t("Undo change to {name}", { name })}>
          {t("Undo")}
        </Button>
      )}
      {change !== "gone" && (
        <Button small disabled={!canEdit} onClick={onEdit} aria-label={t("Edit {name}", { name })}>
          {t("Edit")}
        </Button>
      )}
      {change !== "gone" && change !== "new" && (
        <Button
          small
          variant="danger"
          disabled={!canRemove}
          onClick={onRemove}
          aria-label={t("Remove {name}", { name })}
        >
          {t("Remove")}
        </Button>
      )}
    </span>
  );
}

export function ChangeBadge({ change }: { change: Change }) {
  const { t } = useTranslation();
  if (change === "new") return <Status kind="ok">{t("New")}</Status>;
  if (change === "changed") return <Status kind="warning">{t("Changed")}</Status>;
  if (change === "gone") return <Status kind="danger">{t("Will be deleted")}</Status>;
  return <span className="soft">–</span>;
}
