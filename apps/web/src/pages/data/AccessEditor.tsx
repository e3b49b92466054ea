import { useMoralis } from "@purse/react";
import { type AccessGrant, AccessList, Button, explain, Field, Notice, useTranslation } from "@purse/ui";
import { useState } from "react";
import { canWrite, describeAccess } from "./recordAccess.ts";

export interface AccessEditorProps {
  grants: readonly AccessGrant[] | undefined;
  onChange: (grants: readonly AccessGrant[]) => void;
}

/** The form of generated object IDs. */
const OBJECT_ID = /^[0-9A-Za-z]{10}$/;

const PUBLIC_GRANT: AccessGrant = { who: "*", read: true, write: true };

/** Edits the ACL of a record. */
export function AccessEditor({ grants, onChange }: AccessEditorProps) {
  const texts = useTranslation();
  const { t } = texts;
  const { user } = useMoralis();
  const list = grants ?? [PUBLIC_GRANT];
  const everyone = list.find(({ who }) => who === "*") ?? { who: "*", read: false, write: false };
  const others = list.filter(({ who }) => who !== "*");
  const set = (grant: AccessGrant) => onChange([...list.filter(({ who }) => who !== grant.who), grant]);
  return (
    <fieldset className="access stack tight">
      <legend className="label">{t("Permissions")}</legend>
      <p className="soft small" role="status">
        {describeAccess(grants, user?.id, texts)}
      </p>
      <AccessList
        grants={[everyone, ...others]}
        userId={user?.id}
        onChange={set}
        onRemove={(who) => onChange(list.filter((each) => each.who !== who))}
      />
      <AddSubject onAdd={(who) => set({ who, read: true, write: false })} />
      {!canWrite(list, user?.id) && (
        <Notice kind="warning" title={t("You would lose edit access")}>
          {t("Only an operator could restore your access.")}
        </Notice>
      )}
    </fieldset>
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
    if (query === "") return setProblem(t("Enter a username, a user ID, or role:Name."));
    setProblem(undefined);
    if (/^role:[\w -]+$/.test(query)) {
      onAdd(query);
      return setName("");
    }
    setBusy(true);
    try {
      const found = await new Moralis.Query("_User").equalTo("username", query).first();
      // Users that are private are known by their ID only.
      const id = found?.id ?? (OBJECT_ID.test(query) ? query : undefined);
      if (id === undefined) return setProblem(t("User not found."));
      onAdd(id);
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
      onText={setName}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
        event.preventDefault();
        void add();
      }}
      placeholder={t("username, user ID or role:Name")}
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
