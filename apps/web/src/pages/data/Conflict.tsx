import type { ParseObject } from "@purse/client";
import { Button, Notice, RelativeTime, useTranslation } from "@purse/ui";
import { formatValue, isSame, parseValue, type ValueDraft } from "./values.ts";

export interface ConflictProps {
  theirs: ParseObject;
  rows: readonly { name: string; mine: ValueDraft; before: unknown }[];
  /** Keeps their version. */
  onTheirs: () => void;
  /** Overwrites it with the local version. */
  onMine: () => void;
}

/** Shows both versions of a record that was changed during editing. */
export function Conflict({ theirs, rows, onTheirs, onMine }: ConflictProps) {
  const { t, language } = useTranslation();
  const differences = rows.filter(({ name, before }) => !isSame(theirs.get(name), before));
  const mineOf = (mine: ValueDraft) => {
    const read = parseValue(mine, language);
    return "value" in read ? formatValue(read.value, language) : mine.text;
  };
  return (
    <div className="conflict stack tight" role="alert">
      <Notice kind="warning" title={t("This record was changed by someone else")}>
        {t("It was saved while you were editing:")} <RelativeTime at={theirs.updatedAt ?? 0} />
      </Notice>
      {differences.length > 0 && (
        <table className="versions">
          <caption className="visually-hidden">{t("Differences")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("Field")}</th>
              <th scope="col">{t("Their version")}</th>
              <th scope="col">{t("Your version")}</th>
            </tr>
          </thead>
          <tbody>
            {differences.map(({ name, mine }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <bdi>{formatValue(theirs.get(name), language)}</bdi>
                </td>
                <td>
                  <bdi>{mineOf(mine)}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="row">
        <Button onClick={onTheirs}>{t("Keep their version")}</Button>
        <Button variant="danger" onClick={onMine}>
          {t("Overwrite with mine")}
        </Button>
      </div>
    </div>
  );
}
