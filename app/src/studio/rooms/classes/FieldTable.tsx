import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Status } from "../../../design/Status.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay } from "../../StudioContext.tsx";
import type { ClassRow } from "../parts/classes.ts";
import { Section } from "../parts/Room.tsx";
import { type Change, COMMON_FIELDS, type Draft, type FieldRow, fieldRows, withChange } from "./draft.ts";
import { FieldForm } from "./FieldForm.tsx";

export interface FieldTableProps {
  row: ClassRow;
  classes: readonly string[];
  draft: Draft;
  onDraft: (draft: Draft) => void;
}

/** The fields of a class as they would be. */
export function FieldTable({ row, classes, draft, onDraft }: FieldTableProps) {
  const { t } = useTranslation();
  const may = useMay("editor");
  const [edited, setEdited] = useState<FieldRow | "new" | undefined>(undefined);
  const rows = fieldRows(row, draft);
  return (
    <Section
      title={t("Fields")}
      actions={
        <Button small disabled={!may} onClick={() => setEdited("new")}>
          <Plus size={15} aria-hidden="true" />
          {t("Add a field")}
        </Button>
      }
    >
      <Table
        caption={t("Fields")}
        rows={rows}
        rowKey={({ name }) => name}
        empty={<EmptyState title={t("There is no field")} />}
        columns={[
          { key: "name", label: t("Name"), cell: ({ name }) => <code>{name}</code> },
          {
            key: "type",
            label: t("Type"),
            cell: ({ field: { type, targetClass } }) =>
              targetClass === undefined ? type : `${type} → ${targetClass}`,
          },
          {
            key: "required",
            label: t("Required"),
            hideOnPhone: true,
            cell: ({ field: { required } }) =>
              required ? t("yes") : <span className="soft">{t("no")}</span>,
          },
          {
            key: "default",
            label: t("Default"),
            hideOnPhone: true,
            cell: ({ field: { defaultValue } }) =>
              defaultValue === undefined ? (
                <span className="soft">{t("none")}</span>
              ) : (
                <code className="cut">{JSON.stringify(defaultValue)}</code>
              ),
          },
          { key: "change", label: t("Change"), cell: ({ change }) => <ChangeMark change={change} /> },
          {
            key: "actions",
            label: <span className="visually-hidden">{t("Actions")}</span>,
            number: true,
            cell: (each) => (
              <FieldActions
                row={each}
                onEdit={() => setEdited(each)}
                onRemove={() => onDraft(withChange(draft, "fields", each.name, null))}
                onUndo={() => onDraft(withChange(draft, "fields", each.name, undefined))}
              />
            ),
          },
        ]}
      />
      {edited !== undefined && (
        <FieldForm
          known={edited === "new" ? undefined : edited}
          isTypeFree={edited === "new" || edited.change === "new"}
          taken={rows.map(({ name }) => name)}
          classes={classes}
          onClose={() => setEdited(undefined)}
          onSave={(name, field) => onDraft(withChange(draft, "fields", name, field))}
        />
      )}
    </Section>
  );
}

function FieldActions({
  row: { name, change },
  onEdit,
  onRemove,
  onUndo,
}: {
  row: FieldRow;
  onEdit: () => void;
  onRemove: () => void;
  onUndo: () => void;
}) {
  const { t } = useTranslation();
  const may = useMay("editor");
  if (COMMON_FIELDS.includes(name)) return <span className="soft">{t("of every object")}</span>;
  return (
    <span className="actions">
      {change !== undefined && (
        <Button small onClick={onUndo} aria-label={t("Undo the change of {name}", { name })}>
          {t("Undo")}
        </Button>
      )}
      {change !== "gone" && (
        <Button small disabled={!may} onClick={onEdit} aria-label={t("Change {name}", { name })}>
          {t("Change")}
        </Button>
      )}
      {change !== "gone" && change !== "new" && (
        <Button
          small
          variant="danger"
          disabled={!may}
          onClick={onRemove}
          aria-label={t("Remove {name}", { name })}
        >
          {t("Remove")}
        </Button>
      )}
    </span>
  );
}

export function ChangeMark({ change }: { change: Change }) {
  const { t } = useTranslation();
  if (change === "new") return <Status kind="ok">{t("New")}</Status>;
  if (change === "changed") return <Status kind="warning">{t("Changed")}</Status>;
  if (change === "gone") return <Status kind="danger">{t("Goes")}</Status>;
  return <span className="soft">–</span>;
}
