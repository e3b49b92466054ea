import type { JsonObject, JsonValue } from "@purse/protocol";
import { useState } from "react";
import { Field } from "../../../design/Field.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useChange } from "../parts/asking.ts";
import type { Column } from "./columns.ts";
import { readTyped } from "./typed.ts";

/** A row that is new: what is left empty is not set. */
export function NewRow({
  className,
  columns,
  onClose,
}: {
  className: string;
  /** Those that can be typed. */
  columns: readonly Column[];
  onClose: () => void;
}) {
  const { t } = useTexts();
  const studio = useStudio();
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [isTried, setIsTried] = useState(false);
  const read = columns.flatMap((column) => {
    const text = texts[column.name] ?? "";
    return text === "" ? [] : [{ column, ...readTyped(text, column) }];
  });
  const problemOf = (column: Column) =>
    isTried ? read.find((each) => each.column === column)?.problem : undefined;
  const create = useChange(
    (fields: JsonObject) => studio.post(`/data/${className}/rows`, { fields }),
    t("The row is there."),
  );

  function save(): void {
    setIsTried(true);
    const fields: Record<string, JsonValue> = {};
    for (const each of read) {
      if (each.problem !== undefined) return;
      fields[each.column.name] = each.value;
    }
    create.mutate(fields, { onSuccess: onClose });
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
        />
      ))}
    </Ask>
  );
}
