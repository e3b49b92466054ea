import type { ParseObject } from "@purse/client";
import { Button } from "../../design/Button.tsx";
import { Moment } from "../../design/Moment.tsx";
import { Notice } from "../../design/Status.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { isSame, parse, summary, type Typed } from "./values.ts";

export interface ConflictProps {
  theirs: ParseObject;
  rows: readonly { name: string; mine: Typed; before: unknown }[];
  /** Goes on with what they saved. */
  onTheirs: () => void;
  /** Saves what is typed here over it. */
  onMine: () => void;
}

/** A record that somebody else has saved while it was edited here: both are shown, and people choose. */
export function Conflict({ theirs, rows, onTheirs, onMine }: ConflictProps) {
  const { t, language } = useTexts();
  const differing = rows.filter(({ name, before }) => !isSame(theirs.get(name), before));
  const mineOf = (mine: Typed) => {
    const read = parse(mine, language);
    return "value" in read ? summary(read.value, language) : mine.text;
  };
  return (
    <div className="conflict stack tight" role="alert">
      <Notice kind="warning" title={t("This record was changed elsewhere")}>
        {t("It was saved while you edited it:")} <Moment at={theirs.updatedAt ?? 0} />
      </Notice>
      {differing.length > 0 && (
        <table className="versions">
          <caption className="visually-hidden">{t("What differs")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("Field")}</th>
              <th scope="col">{t("Theirs")}</th>
              <th scope="col">{t("Yours")}</th>
            </tr>
          </thead>
          <tbody>
            {differing.map(({ name, mine }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <bdi>{summary(theirs.get(name), language)}</bdi>
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
        <Button onClick={onTheirs}>{t("Take theirs")}</Button>
        <Button look="danger" onClick={onMine}>
          {t("Save mine over it")}
        </Button>
      </div>
    </div>
  );
}
