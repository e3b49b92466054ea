import { isRoleName } from "@purse/protocol";
import { useState } from "react";
import { Field } from "../../../design/Field.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useChange } from "../parts/asking.ts";
import { useRoleChanges } from "./changes.ts";

/** A role without anybody in it. */
export function NewRole({
  taken,
  onClose,
  onDone,
}: {
  taken: readonly string[];
  onClose: () => void;
  onDone: (name: string) => void;
}) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const { create } = useRoleChanges();
  const save = useChange(create, t("{name} is created.", { name }));
  const problem =
    name === ""
      ? undefined
      : !isRoleName(name)
        ? t("Letters, digits, _, - and spaces.")
        : taken.includes(name)
          ? t("There is a role of this name already.")
          : undefined;
  return (
    <Ask
      open
      onClose={onClose}
      title={t("Create a role")}
      about={t("Its name stays. Apps cannot change who is in it until its ACL lets them.")}
      verb={t("Create")}
      busy={save.isPending}
      error={save.error}
      disabled={name === "" || problem !== undefined}
      onDo={() => save.mutate(name, { onSuccess: () => onDone(name) })}
    >
      <Field
        label={t("Name")}
        value={name}
        onChange={(event) => setName(event.target.value)}
        problem={problem}
        maxLength={128}
        autoComplete="off"
        spellCheck={false}
      />
    </Ask>
  );
}
