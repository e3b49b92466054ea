import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Select } from "../../../design/Choice.tsx";
import { Field } from "../../../design/Field.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import type { Index } from "./draft.ts";

type Direction = "1" | "-1" | "text";

export interface IndexFormProps {
  /** Of the class, as it would be. */
  fields: readonly string[];
  taken: readonly string[];
  onClose: () => void;
  onSave: (name: string, index: Index) => void;
}

/** An index over one field or more, in their order. */
export function IndexForm({ fields, taken, onClose, onSave }: IndexFormProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const [keys, setKeys] = useState<{ field: string; direction: Direction }[]>([
    { field: fields[0] ?? "objectId", direction: "1" },
  ]);
  const name = typed ?? `${keys.map(({ field }) => field).join("_")}_index`.slice(0, 64);
  const problem = !/^[0-9A-Za-z_.-]{1,64}$/.test(name)
    ? t("1 to 64 letters, digits, _ . and -.")
    : taken.includes(name)
      ? t("There is an index of this name already.")
      : undefined;
  const free = fields.filter((field) => !keys.some((key) => key.field === field));
  const change = (at: number, to: Partial<{ field: string; direction: Direction }>) =>
    setKeys(keys.map((key, i) => (i === at ? { ...key, ...to } : key)));
  function save() {
    const index: Index = Object.fromEntries(
      keys.map(({ field, direction }) => [field, direction === "text" ? "text" : direction === "1" ? 1 : -1]),
    );
    onSave(name, index);
    onClose();
  }
  return (
    <Ask
      open
      onClose={onClose}
      title={t("Add an index")}
      about={t("What is often asked for or ordered by is found faster.")}
      verb={t("Add")}
      busy={false}
      disabled={problem !== undefined}
      onDo={save}
    >
      {keys.map(({ field, direction }, i) => (
        <div className="filters" key={field}>
          <Select
            label={t("Field {n}", { n: i + 1 })}
            value={field}
            onChange={(to) => change(i, { field: to })}
            options={[field, ...free].map((key) => ({ key, label: key }))}
          />
          <Select<Direction>
            label={t("Order {n}", { n: i + 1 })}
            value={direction}
            onChange={(to) => change(i, { direction: to })}
            options={[
              { key: "1", label: t("ascending") },
              { key: "-1", label: t("descending") },
              { key: "text", label: t("full text") },
            ]}
          />
        </div>
      ))}
      <div className="row">
        <Button
          small
          disabled={free.length === 0}
          onClick={() => setKeys([...keys, { field: free[0] ?? "", direction: "1" }])}
        >
          {t("One more field")}
        </Button>
        <Button small disabled={keys.length === 1} onClick={() => setKeys(keys.slice(0, -1))}>
          {t("One less")}
        </Button>
      </div>
      <Field
        label={t("Name of the index")}
        value={name}
        onChange={(event) => setTyped(event.target.value)}
        problem={problem}
        autoComplete="off"
        spellCheck={false}
      />
    </Ask>
  );
}
