import { Plus } from "lucide-react";
import { useState } from "react";
import { type AccessGrant, AccessList } from "../../components/AccessList.tsx";
import { Button } from "../../components/Button.tsx";
import { TextArea } from "../../components/Field.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import { describeAcl } from "../formatValue.ts";
import { buildAcl, parseAcl } from "./acl.ts";
import type { EditorProps } from "./editorProps.ts";
import { RowPicker } from "./RowPicker.tsx";

type SubjectKind = "user" | "role";

/** Edits an ACL. */
export function AclEditor({ text, onText, parsed: read }: EditorProps) {
  const { t } = useTranslation();
  const [adding, setAdding] = useState<SubjectKind | undefined>(undefined);
  const entries = read.problem === undefined ? parseAcl(read.value) : undefined;
  const setEntries = (next: readonly AccessGrant[]) => onText(JSON.stringify(buildAcl(next), null, 2));
  const all = entries ?? [];
  function add(who: string): void {
    setAdding(undefined);
    if (!all.some((entry) => entry.who === who)) setEntries([...all, { who, read: true, write: false }]);
  }

  return (
    <>
      {read.problem === undefined && (
        <>
          <p role="status">
            <strong>{describeAcl(read.value)}</strong>
          </p>
          <AccessList
            grants={all}
            onChange={(grant) => setEntries(all.map((each) => (each.who === grant.who ? grant : each)))}
            onRemove={(who) => setEntries(all.filter((each) => each.who !== who))}
          />
          <div className="row">
            <Button icon={Plus} small onClick={() => add("*")}>
              {t("Public")}
            </Button>
            <Button icon={Plus} small onClick={() => setAdding("user")}>
              {t("User")}
            </Button>
            <Button icon={Plus} small onClick={() => setAdding("role")}>
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
            onText={onText}
          />
        </div>
      </details>
    </>
  );
}
