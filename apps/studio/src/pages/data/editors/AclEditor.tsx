import { Button, Checkbox, IconButton, TextArea, useTranslation } from "@purse/ui";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { describeAcl } from "../formatValue.ts";
import { type AclEntry, buildAcl, parseAcl } from "./acl.ts";
import type { EditorProps } from "./editor.ts";
import { RowPicker } from "./RowPicker.tsx";

type SubjectKind = "user" | "role";

/** Edits an ACL. */
export function AclEditor({ text, onText, parsed: read }: EditorProps) {
  const { t } = useTranslation();
  const [adding, setAdding] = useState<SubjectKind | undefined>(undefined);
  const entries = read.problem === undefined ? parseAcl(read.value) : undefined;
  const setEntries = (next: readonly AclEntry[]) => onText(JSON.stringify(buildAcl(next), null, 2));
  const all = entries ?? [];
  const subjectLabel = (subject: string) =>
    subject === "*"
      ? t("Public")
      : subject.startsWith("role:")
        ? t("Role {name}", { name: subject.slice(5) })
        : subject;

  function add(subject: string): void {
    setAdding(undefined);
    if (!all.some((entry) => entry.subject === subject))
      setEntries([...all, { subject, read: true, write: false }]);
  }

  return (
    <>
      {read.problem === undefined && (
        <>
          <p role="status">
            <strong>{describeAcl(read.value)}</strong>
          </p>
          <ul className="acl" aria-label={t("Permissions")}>
            {all.map((entry) => (
              <li key={entry.subject}>
                <bdi className="cut grow">{subjectLabel(entry.subject)}</bdi>
                {(["read", "write"] as const).map((permission) => (
                  <Checkbox
                    key={permission}
                    label={
                      <>
                        {permission === "read" ? t("Read") : t("Write")}
                        <span className="visually-hidden"> {subjectLabel(entry.subject)}</span>
                      </>
                    }
                    checked={entry[permission]}
                    onChange={(to) =>
                      setEntries(
                        all.map((each) =>
                          each.subject === entry.subject ? { ...each, [permission]: to } : each,
                        ),
                      )
                    }
                  />
                ))}
                <IconButton
                  icon={X}
                  label={t("Remove {name}", { name: subjectLabel(entry.subject) })}
                  onClick={() => setEntries(all.filter(({ subject }) => subject !== entry.subject))}
                />
              </li>
            ))}
          </ul>
          <div className="row">
            <Button small onClick={() => add("*")}>
              <Plus size={15} aria-hidden="true" />
              {t("Public")}
            </Button>
            <Button small onClick={() => setAdding("user")}>
              <Plus size={15} aria-hidden="true" />
              {t("User")}
            </Button>
            <Button small onClick={() => setAdding("role")}>
              <Plus size={15} aria-hidden="true" />
              {t("Role")}
            </Button>
            <Button small onClick={() => onText("{}")}>
              {t("Master key only")}
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
        <summary>{t("Edit as JSON")}</summary>
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
