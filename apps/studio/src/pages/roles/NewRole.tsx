import { isRoleName } from "@purse/protocol";
import { Field, FormDialog, newName, useForm, useTranslation } from "@purse/ui";
import * as z from "zod/mini";
import { useStudioMutation } from "../../components/useStudioQuery.ts";
import { useRoleChanges } from "./roleChanges.ts";

export interface NewRoleProps {
  existingNames: readonly string[];
  onClose: () => void;
  onDone: (name: string) => void;
}

/** Creates an empty role. */
export function NewRole({ existingNames, onClose, onDone }: NewRoleProps) {
  const { t } = useTranslation();
  const form = useForm(
    z.object({
      name: newName(
        isRoleName,
        "Use letters, digits, _, - and spaces.",
        existingNames,
        "A role with this name already exists.",
      ),
    }),
    { name: "" },
  );
  const { name } = form.values;
  const { create } = useRoleChanges();
  const save = useStudioMutation(
    (_, role: { name: string }) => create(role.name),
    t("{name} created", { name }),
  );
  return (
    <FormDialog
      onClose={onClose}
      title={t("Create role")}
      description={t(
        "The name can't be changed later. Apps can't change the members unless the role's ACL allows it.",
      )}
      confirmLabel={t("Create")}
      form={form}
      mutation={save}
      onDone={() => onDone(name)}
    >
      <Field label={t("Name")} {...form.input("name")} maxLength={128} isCode />
    </FormDialog>
  );
}
