import type { JsonValue } from "@purse/protocol";
import { useState } from "react";
import { Select } from "../../../design/Choice.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { type Draft, resolved } from "./drafts.ts";
import { shown } from "./value.ts";

/** Somebody else has changed a row meanwhile: both values of each field, and which of them shall stand. */
export function Conflict({
  draft,
  onDone,
  onCancel,
}: {
  draft: Draft;
  /** What is left to save; undefined where all is taken from the row as it is. */
  onDone: (draft: Draft | undefined) => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const { objectId, changes, current } = draft;
  return (
    <Ask
      open
      wide
      onClose={onCancel}
      title={t("{id} has been changed by somebody else", { id: objectId })}
      about={t("Choose which value stands for each field. Nothing is saved before you save again.")}
      verb={t("Go on with these")}
      busy={false}
      onDo={() => onDone(resolved(draft, kept))}
    >
      <Table
        caption={t("Fields in conflict")}
        rows={Object.entries(changes)}
        rowKey={([field]) => field}
        empty={null}
        columns={[
          { key: "field", label: t("Field"), cell: ([field]) => <bdi>{field}</bdi> },
          { key: "there", label: t("There now"), cell: ([field]) => <Value value={current?.[field]} /> },
          { key: "yours", label: t("Yours"), cell: ([, value]) => <Value value={value} /> },
          {
            key: "choice",
            label: t("Stands"),
            cell: ([field]) => (
              <Select
                label={t("What stands in {name}", { name: field })}
                hideLabel
                value={kept.has(field) ? "yours" : "there"}
                onChange={(choice) => {
                  const next = new Set(kept);
                  if (choice === "yours") next.add(field);
                  else next.delete(field);
                  setKept(next);
                }}
                options={[
                  { key: "there", label: t("There now") },
                  { key: "yours", label: t("Yours") },
                ]}
              />
            ),
          },
        ]}
      />
    </Ask>
  );
}

function Value({ value }: { value: JsonValue | undefined }) {
  return <bdi className="cut">{shown(value) || "—"}</bdi>;
}
