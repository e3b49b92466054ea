import type { JsonObject, JsonValue } from "@purse/protocol";
import {
  Button,
  ConfirmDialog,
  editableText,
  Field,
  parseValue,
  useToast,
  useTranslation,
  ValueDialog,
} from "@purse/ui";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useStudio } from "../../StudioContext.tsx";
import { isInline } from "./CellEditor.tsx";
import type { Column } from "./columns.ts";
import type { RowsDialogProps } from "./panel.ts";

/** Creates a row; empty fields are not set. */
export function NewRow({ className, columns, onDone, onClose }: RowsDialogProps<JsonObject>) {
  const { t } = useTranslation();
  const studio = useStudio();
  const toast = useToast();
  const [inputs, setInputs] = useState<Readonly<Record<string, string>>>({});
  const [isSubmitted, setSubmitted] = useState(false);
  const parsed = columns.flatMap((column) => {
    const text = inputs[column.name] ?? "";
    return text === "" ? [] : [{ column, ...parseValue(text, column) }];
  });
  const problemOf = (column: Column) =>
    isSubmitted ? parsed.find((each) => each.column === column)?.problem : undefined;
  const [editing, setEditing] = useState<Column | undefined>(undefined);
  const create = useMutation({
    mutationFn: (fields: JsonObject) => studio.post<JsonObject>(`/data/${className}/rows`, { fields }),
    onSuccess(row) {
      toast(t("Row created"));
      onDone(row);
      onClose();
    },
  });

  function save(): void {
    setSubmitted(true);
    const fields: Record<string, JsonValue> = {};
    for (const each of parsed) {
      if (each.problem !== undefined) return;
      fields[each.column.name] = each.value;
    }
    create.mutate(fields);
  }

  return (
    <ConfirmDialog
      open
      wide
      onClose={onClose}
      title={t("New {name} row", { name: className })}
      description={t("Empty fields are not set.")}
      confirmLabel={t("Create")}
      busy={create.isPending}
      error={create.error}
      onConfirm={save}
    >
      {columns.map((column) => (
        <Field
          key={column.name}
          label={column.name}
          hint={column.targetClass ?? column.type}
          value={inputs[column.name] ?? ""}
          problem={problemOf(column)}
          onChange={(event) => setInputs({ ...inputs, [column.name]: event.target.value })}
          autoComplete="off"
          after={
            !isInline(column) && (
              <Button
                aria-label={t("Choose {name}", { name: column.name })}
                onClick={() => setEditing(column)}
              >
                {t("Choose")}
              </Button>
            )
          }
        />
      ))}
      {editing && (
        <ValueDialog
          field={editing}
          value={undefined}
          initialText={inputs[editing.name]}
          onDone={(value) => {
            setInputs({ ...inputs, [editing.name]: editableText(value, editing) });
            setEditing(undefined);
          }}
          onCancel={() => setEditing(undefined)}
        />
      )}
    </ConfirmDialog>
  );
}
