import { Button, ConfirmDialog, Field, Select, useTranslation } from "@purse/ui";
import { useState } from "react";
import type { Index } from "./classDraft.ts";

type Direction = "1" | "-1" | "text";

export interface IndexFormProps {
  /** Fields of the class with the draft applied. */
  fields: readonly string[];
  existingNames: readonly string[];
  onClose: () => void;
  onSave: (name: string, index: Index) => void;
}

/** Creates an index over one or more fields. */
export function IndexForm({ fields, existingNames, onClose, onSave }: IndexFormProps) {
  const { t } = useTranslation();
  const [customName, setCustomName] = useState<string | undefined>(undefined);
  const [keys, setKeys] = useState<{ field: string; direction: Direction }[]>([
    { field: fields[0] ?? "objectId", direction: "1" },
  ]);
  const name = customName ?? `${keys.map(({ field }) => field).join("_")}_index`.slice(0, 64);
  const problem = !/^[0-9A-Za-z_.-]{1,64}$/.test(name)
    ? t("Use 1 to 64 letters, digits, _, . and -.")
    : existingNames.includes(name)
      ? t("An index with this name already exists.")
      : undefined;
  const availableFields = fields.filter((field) => !keys.some((key) => key.field === field));
  const change = (position: number, to: Partial<{ field: string; direction: Direction }>) =>
    setKeys(keys.map((key, i) => (i === position ? { ...key, ...to } : key)));
  function save() {
    const index: Index = Object.fromEntries(
      keys.map(({ field, direction }) => [field, direction === "text" ? "text" : direction === "1" ? 1 : -1]),
    );
    onSave(name, index);
    onClose();
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t("Add index")}
      description={t("Speeds up frequent filters and sorts.")}
      confirmLabel={t("Add")}
      disabled={problem !== undefined}
      onConfirm={save}
    >
      {keys.map(({ field, direction }, i) => (
        <div className="filters" key={field}>
          <Select
            label={t("Field {n, number}", { n: i + 1 })}
            value={field}
            onChange={(to) => change(i, { field: to })}
            options={[field, ...availableFields].map((key) => ({ key, label: key }))}
          />
          <Select<Direction>
            label={t("Order {n, number}", { n: i + 1 })}
            value={direction}
            onChange={(to) => change(i, { direction: to })}
            options={{ "1": t("ascending"), "-1": t("descending"), text: t("full text") }}
          />
        </div>
      ))}
      <div className="row">
        <Button
          small
          disabled={availableFields.length === 0}
          onClick={() => setKeys([...keys, { field: availableFields[0] ?? "", direction: "1" }])}
        >
          {t("Add field")}
        </Button>
        <Button small disabled={keys.length === 1} onClick={() => setKeys(keys.slice(0, -1))}>
          {t("Remove last field")}
        </Button>
      </div>
      <Field label={t("Index name")} value={name} onText={setCustomName} problem={problem} isCode />
    </ConfirmDialog>
  );
}
