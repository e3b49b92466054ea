import type { JsonObject, JsonValue } from "@purse/protocol";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Field } from "../../../design/Field.tsx";
import { useToast } from "../../../design/Toasts.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { isInline } from "./CellEditor.tsx";
import type { Column } from "./columns.ts";
import { readTyped, typedOf } from "./typed.ts";
import { ValueDialog } from "./ValueDialog.tsx";

/** A row that is new: what is left empty is not set. */
export function NewRow({
  className,
  columns,
  onDone,
  onClose,
}: {
  className: string;
  /** Those that can be set. */
  columns: readonly Column[];
  onDone: (row: JsonObject) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const studio = useStudio();
  const toast = useToast();
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [isTried, setIsTried] = useState(false);
  const read = columns.flatMap((column) => {
    const text = texts[column.name] ?? "";
    return text === "" ? [] : [{ column, ...readTyped(text, column) }];
  });
  const problemOf = (column: Column) =>
    isTried ? read.find((each) => each.column === column)?.problem : undefined;
  const [editing, setEditing] = useState<Column | undefined>(undefined);
  const create = useMutation({
    mutationFn: (fields: JsonObject) => studio.post<JsonObject>(`/data/${className}/rows`, { fields }),
    onSuccess(row) {
      toast(t("The row is there."));
      onDone(row);
      onClose();
    },
  });

  function save(): void {
    setIsTried(true);
    const fields: Record<string, JsonValue> = {};
    for (const each of read) {
      if (each.problem !== undefined) return;
      fields[each.column.name] = each.value;
    }
    create.mutate(fields);
  }

  return (
    <Ask
      open
      wide
      onClose={onClose}
      title={t("New row of {name}", { name: className })}
      about={t("What is left empty is not set.")}
      verb={t("Create")}
      busy={create.isPending}
      error={create.error}
      onDo={save}
    >
      {columns.map((column) => (
        <Field
          key={column.name}
          label={column.name}
          hint={column.targetClass ?? column.type}
          value={texts[column.name] ?? ""}
          problem={problemOf(column)}
          onChange={(event) => setTexts({ ...texts, [column.name]: event.target.value })}
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
          column={editing}
          value={undefined}
          typed={texts[editing.name]}
          onDone={(value) => {
            setTexts({ ...texts, [editing.name]: typedOf(value, editing) });
            setEditing(undefined);
          }}
          onCancel={() => setEditing(undefined)}
        />
      )}
    </Ask>
  );
}
