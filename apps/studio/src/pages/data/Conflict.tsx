import { type JsonValue, ownValue } from "@purse/protocol";
import { ConfirmDialog, displayText, Select, Table, useTranslation } from "@purse/ui";
import { useState } from "react";
import { type Draft, resolveConflict } from "./drafts.ts";

export interface ConflictProps {
  draft: Draft;
  /** The remaining draft; undefined when all current values are kept. */
  onDone: (draft: Draft | undefined) => void;
  onCancel: () => void;
}

/** Resolves a conflict: choose the current or the own value of each field. */
export function Conflict({ draft, onDone, onCancel }: ConflictProps) {
  const { t } = useTranslation();
  const [keptFields, setKeptFields] = useState<ReadonlySet<string>>(new Set());
  const { objectId, changes, current } = draft;
  return (
    <ConfirmDialog
      open
      wide
      onClose={onCancel}
      title={t("{id} was changed by someone else", { id: objectId })}
      description={t("Choose which value to keep for each field, then save again.")}
      confirmLabel={t("Continue")}
      onConfirm={() => onDone(resolveConflict(draft, keptFields))}
    >
      <Table
        caption={t("Conflicting fields")}
        rows={Object.entries(changes)}
        rowKey={([field]) => field}
        empty={null}
        columns={[
          { label: t("Field"), cell: ([field]) => <bdi>{field}</bdi> },
          {
            label: t("Current value"),
            cell: ([field]) => <Value value={current && ownValue(current, field)} />,
          },
          { label: t("Yours"), cell: ([, value]) => <Value value={value} /> },
          {
            label: t("Result"),
            cell: ([field]) => (
              <Select
                label={t("Value to keep for {name}", { name: field })}
                hideLabel
                value={keptFields.has(field) ? "yours" : "current"}
                onChange={(choice) => {
                  const next = new Set(keptFields);
                  if (choice === "yours") next.add(field);
                  else next.delete(field);
                  setKeptFields(next);
                }}
                options={{ current: t("Current value"), yours: t("Yours") }}
              />
            ),
          },
        ]}
      />
    </ConfirmDialog>
  );
}

function Value({ value }: { value: JsonValue | undefined }) {
  return <bdi className="cut">{displayText(value) || "—"}</bdi>;
}
