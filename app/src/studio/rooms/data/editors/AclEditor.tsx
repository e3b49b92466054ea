import { Plus, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../../design/Button.tsx";
import { Checkbox } from "../../../../design/Choice.tsx";
import { TextArea } from "../../../../design/Field.tsx";
import { useTranslation } from "../../../../i18n/TranslationContext.tsx";
import { aclInWords } from "../value.ts";
import { type AclEntry, aclOf, entriesOf } from "./acl.ts";
import type { EditorProps } from "./editor.ts";
import { RowPicker } from "./RowPicker.tsx";

type Kind = "user" | "role";

/** Who reads and who writes a row. */
export function AclEditor({ text, onText, read }: EditorProps) {
  const { t } = useTranslation();
  const [adding, setAdding] = useState<Kind | undefined>(undefined);
  const entries = read.problem === undefined ? entriesOf(read.value) : undefined;
  const become = (next: readonly AclEntry[]) => onText(JSON.stringify(aclOf(next), null, 2));
  const all = entries ?? [];
  const nameOfWho = (who: string) =>
    who === "*" ? t("Anyone") : who.startsWith("role:") ? t("Role {name}", { name: who.slice(5) }) : who;

  function add(who: string): void {
    setAdding(undefined);
    if (!all.some((entry) => entry.who === who)) become([...all, { who, read: true, write: false }]);
  }

  return (
    <>
      {read.problem === undefined && (
        <>
          <p role="status">
            <strong>{aclInWords(read.value)}</strong>
          </p>
          <ul className="acl" aria-label={t("Who may")}>
            {all.map((entry) => (
              <li key={entry.who}>
                <bdi className="cut grow">{nameOfWho(entry.who)}</bdi>
                {(["read", "write"] as const).map((verb) => (
                  <Checkbox
                    key={verb}
                    label={
                      <>
                        {verb === "read" ? t("reads") : t("writes")}
                        <span className="visually-hidden"> {nameOfWho(entry.who)}</span>
                      </>
                    }
                    checked={entry[verb]}
                    onChange={(to) =>
                      become(all.map((each) => (each.who === entry.who ? { ...each, [verb]: to } : each)))
                    }
                  />
                ))}
                <button
                  type="button"
                  className="icon-button"
                  aria-label={t("Take away {name}", { name: nameOfWho(entry.who) })}
                  onClick={() => become(all.filter(({ who }) => who !== entry.who))}
                >
                  <X size={16} aria-hidden="true" />
                </button>
              </li>
            ))}
          </ul>
          <div className="row">
            <Button small onClick={() => add("*")}>
              <Plus size={15} aria-hidden="true" />
              {t("Anyone")}
            </Button>
            <Button small onClick={() => setAdding("user")}>
              <Plus size={15} aria-hidden="true" />
              {t("A user")}
            </Button>
            <Button small onClick={() => setAdding("role")}>
              <Plus size={15} aria-hidden="true" />
              {t("A role")}
            </Button>
            <Button small onClick={() => onText("{}")}>
              {t("Nobody but the master key")}
            </Button>
            <Button small onClick={() => onText("")}>
              {t("No ACL")}
            </Button>
          </div>
          {adding === "user" && (
            <RowPicker className="_User" onChoose={({ objectId }) => add(String(objectId))} />
          )}
          {adding === "role" && (
            <RowPicker className="_Role" onChoose={({ name }) => add(`role:${String(name)}`)} />
          )}
        </>
      )}
      <details open={read.problem !== undefined}>
        <summary>{t("As JSON")}</summary>
        <div className="mono-field">
          <TextArea
            label={t("JSON")}
            value={text}
            problem={read.problem}
            rows={6}
            spellCheck={false}
            onChange={(event) => onText(event.target.value)}
          />
        </div>
      </details>
    </>
  );
}
