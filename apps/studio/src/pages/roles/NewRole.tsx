import { isRoleName } from "@purse/protocol";
import { ConfirmDialog, Field, useTranslation } from "@purse/ui";
import { useState } from "react";
import { useStudioMutation } from "../../components/queries.ts";
import { useRoleChanges } from "./roleChanges.ts";

/** Creates an empty role. */
export function NewRole({
  existingNames,
  onClose,
  onDone,
}: {
  existingNames: readonly string[];
  onClose: () => void;
  onDone: (name: string) => void;
}) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const { create } = useRoleChanges();
  const save = useStudioMutation(create, t("{name} created", { name }));
  const problem =
    name === ""
      ? undefined
      : !isRoleName(name)
        ? t("Use letters, digits, _, - and spaces.")
        : existingNames.includes(name)
          ? t("A role with this name already exists.")
          : undefined;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t("Create role")}
      description={t(
        "The name can't be changed later. Apps can't change the members unless the role's ACL allows it.",
      )}
      confirmLabel={t("Create")}
      busy={save.isPending}
      error={save.error}
      disabled={name === "" || problem !== undefined}
      onConfirm={() => save.mutate(name, { onSuccess: () => onDone(name) })}
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
    </ConfirmDialog>
  );
}
