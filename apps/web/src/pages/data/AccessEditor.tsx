import { useMoralis } from "@purse/react";
import { Button, Checkbox, explain, Field, IconButton, Notice, useTranslation } from "@purse/ui";
import { X } from "lucide-react";
import { useState } from "react";
import { canWrite, describeAccess, type Grant } from "./access.ts";

export interface AccessEditorProps {
  grants: readonly Grant[] | undefined;
  onChange: (grants: readonly Grant[]) => void;
}

const PUBLIC_GRANT: Grant = { who: "*", read: true, write: true };

/** Edits the ACL of a record. */
export function AccessEditor({ grants, onChange }: AccessEditorProps) {
  const texts = useTranslation();
  const { t } = texts;
  const { user } = useMoralis();
  const list = grants ?? [PUBLIC_GRANT];
  const everyone = list.find(({ who }) => who === "*") ?? { who: "*", read: false, write: false };
  const others = list.filter(({ who }) => who !== "*");
  const set = (grant: Grant) => onChange([...list.filter(({ who }) => who !== grant.who), grant]);
  const nameOf = (who: string) =>
    who === "*"
      ? t("Everyone")
      : who === user?.id
        ? t("You")
        : who.startsWith("role:")
          ? t("Role {name}", { name: who.slice("role:".length) })
          : who;
  return (
    <fieldset className="access stack tight">
      <legend className="label">{t("Permissions")}</legend>
      <p className="soft small" role="status">
        {describeAccess(grants, user?.id, texts)}
      </p>
      <ul className="access-list">
        {[everyone, ...others].map((grant) => (
          <li key={grant.who} className="access-row">
            <bdi className="clip">{nameOf(grant.who)}</bdi>
            <Checkbox
              label={<CheckboxLabel what={t("Read")} who={nameOf(grant.who)} />}
              checked={grant.read}
              onChange={(read) => set({ ...grant, read })}
            />
            <Checkbox
              label={<CheckboxLabel what={t("Write")} who={nameOf(grant.who)} />}
              checked={grant.write}
              onChange={(write) => set({ ...grant, write })}
            />
            {grant.who === "*" ? (
              <span />
            ) : (
              <IconButton
                icon={X}
                label={t("Remove {who}", { who: nameOf(grant.who) })}
                onClick={() => onChange(list.filter(({ who }) => who !== grant.who))}
              />
            )}
          </li>
        ))}
      </ul>
      <AddSubject onAdd={(who) => set({ who, read: true, write: false })} />
      {!canWrite(list, user?.id) && (
        <Notice kind="warning" title={t("You would lose edit access")}>
          {t("Only an operator could restore your access.")}
        </Notice>
      )}
    </fieldset>
  );
}

/** A label that includes the subject for screen readers. */
function CheckboxLabel({ what, who }: { what: string; who: string }) {
  return (
    <>
      <span className="visually-hidden">{who} </span>
      {what}
    </>
  );
}

function AddSubject({ onAdd }: { onAdd: (who: string) => void }) {
  const { t } = useTranslation();
  const { Moralis } = useMoralis();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  async function add() {
    const query = name.trim();
    if (query === "") return setProblem(t("Enter a username, or role:Name."));
    setProblem(undefined);
    if (/^role:[\w -]+$/.test(query)) {
      onAdd(query);
      return setName("");
    }
    setBusy(true);
    try {
      const found = await new Moralis.Query("_User").equalTo("username", query).first();
      if (!found?.id) return setProblem(t("User not found."));
      onAdd(found.id);
      setName("");
    } catch (error) {
      setProblem(explain(error, t).detail);
    } finally {
      setBusy(false);
    }
  }
  return (
    <Field
      label={t("Add user or role")}
      value={name}
      onChange={(event) => setName(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        void add();
      }}
      placeholder={t("username or role:Name")}
      problem={problem}
      autoCapitalize="none"
      after={
        <Button busy={busy} onClick={() => void add()}>
          {t("Add")}
        </Button>
      }
    />
  );
}
