import { type JsonObject, ownValue } from "@purse/protocol";
import { ConfirmDialog, parseValue, useToast, useTranslation, ValueField } from "@purse/ui";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useStudio } from "../../StudioContext.tsx";
import type { RowsDialogProps } from "./rowDialogProps.ts";

/** Creates a row; empty fields are not set. */
export function NewRow({ className, columns, onDone, onClose }: RowsDialogProps<JsonObject>) {
  const { t } = useTranslation();
  const studio = useStudio();
  const toast = useToast();
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [isSubmitted, setSubmitted] = useState(false);
  const inputs = columns.map((column) => {
    const text = ownValue(texts, column.name) ?? "";
    return { column, text, parsed: text === "" ? undefined : parseValue(text, column) };
  });
  const create = useMutation({
    mutationFn: (fields: JsonObject) => studio.post("/data/:className/rows", { className, fields }),
    onSuccess(row) {
      toast(t("Row created"));
      onDone(row);
      onClose();
    },
  });

  function save(): void {
    setSubmitted(true);
    const fields: JsonObject = {};
    for (const { column, parsed } of inputs) {
      if (parsed?.problem !== undefined) return;
      if (parsed) fields[column.name] = parsed.value;
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
      {inputs.map(({ column, text, parsed }) => (
        <ValueField
          key={column.name}
          field={column}
          text={text}
          problem={isSubmitted ? parsed?.problem : undefined}
          onText={(to) => setTexts({ ...texts, [column.name]: to })}
        />
      ))}
    </ConfirmDialog>
  );
}
