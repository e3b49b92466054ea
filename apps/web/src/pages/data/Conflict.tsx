import { type JsonObject, ownValue } from "@purse/protocol";
import { Button, type DataField, Notice, RelativeTime, Table, useTranslation } from "@purse/ui";
import { formatValue, isSame, parseText } from "./recordValues.ts";
import type { FieldInputs } from "./useFieldInputs.ts";

export interface ConflictProps {
  theirs: JsonObject;
  theirsAt: Date | undefined;
  inputs: FieldInputs;
  /** Keeps their version. */
  onTheirs: () => void;
  /** Overwrites it with the local version. */
  onMine: () => void;
}

/** Shows both versions of a record that was changed during editing. */
export function Conflict({ theirs, theirsAt, inputs, onTheirs, onMine }: ConflictProps) {
  const { t, language } = useTranslation();
  const differences = inputs.fields.filter(
    ({ name }) => !isSame(ownValue(theirs, name), ownValue(inputs.base, name)),
  );
  const mineOf = (field: DataField) => {
    const parsed = parseText(inputs.textOf(field), field, language);
    return parsed.problem === undefined ? formatValue(parsed.value, language) : inputs.textOf(field);
  };
  return (
    <div className="conflict stack tight" role="alert">
      <Notice kind="warning" title={t("This record was changed by someone else")}>
        {t("It was saved while you were editing:")} <RelativeTime at={theirsAt ?? 0} />
      </Notice>
      <Table
        caption={t("Differences")}
        rows={differences}
        rowKey={({ name }) => name}
        empty={null}
        columns={[
          { label: t("Field"), cell: ({ name }) => name },
          {
            label: t("Their version"),
            cell: ({ name }) => <bdi>{formatValue(ownValue(theirs, name), language)}</bdi>,
          },
          { label: t("Your version"), cell: (field) => <bdi>{mineOf(field)}</bdi> },
        ]}
      />
      <div className="row">
        <Button onClick={onTheirs}>{t("Keep their version")}</Button>
        <Button variant="danger" onClick={onMine}>
          {t("Overwrite with mine")}
        </Button>
      </div>
    </div>
  );
}
