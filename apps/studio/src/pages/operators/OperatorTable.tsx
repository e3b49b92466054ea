import { Field, FormDialog, requiredText, Select, Status, secret, useForm, useTranslation } from "@purse/ui";
import * as z from "zod/mini";
import { CrudSection } from "../../components/CrudSection.tsx";
import { OptionalTime } from "../../components/cells.tsx";
import { useStudioList, useStudioMutation } from "../../components/useStudioQuery.ts";
import { useOperator } from "../../StudioContext.tsx";
import { OperatorForm } from "./OperatorForm.tsx";
import { useRoleNames, useRoleOptions } from "./roleNames.ts";

/** All operators with role, status and last sign-in. For owners. */
export function OperatorTable() {
  const { t } = useTranslation();
  const own = useOperator();
  const roles = useRoleNames();
  const operators = useStudioList("/operators", {});
  return (
    <CrudSection
      title={t("All operators")}
      query={operators}
      loadingLabel={t("Loading operators…")}
      rowKey={({ id }) => id}
      empty={{ title: t("No operators") }}
      columns={[
        {
          label: t("Name"),
          cell: ({ id, username }) => (
            <span>
              <bdi>{username}</bdi>
              {id === own.id && <span className="soft"> {t("(you)")}</span>}
            </span>
          ),
        },
        { label: t("Role"), cell: ({ role }) => roles[role] },
        {
          label: t("Status"),
          cell: ({ isDisabled }) => (
            <Status kind={isDisabled ? "danger" : "ok"}>{isDisabled ? t("Disabled") : t("Active")}</Status>
          ),
        },
        {
          label: t("Two-factor authentication"),
          cell: ({ hasSecondFactor }) => (
            <Status kind={hasSecondFactor ? "ok" : "warning"}>{hasSecondFactor ? t("On") : t("Off")}</Status>
          ),
        },
        {
          label: t("Last sign-in"),
          hideOnPhone: true,
          cell: ({ lastSignInAt }) => <OptionalTime at={lastSignInAt} otherwise={t("Never")} />,
        },
      ]}
      canEdit
      create={t("Add operator")}
      editLabel={({ id, username }) => (id === own.id ? undefined : t("Edit {name}", { name: username }))}
      form={(operator, onClose) =>
        operator ? <OperatorForm operator={operator} onClose={onClose} /> : <NewOperator onClose={onClose} />
      }
    />
  );
}

const NEW_OPERATOR = z.object({
  username: requiredText(),
  password: secret(),
  role: z.enum(["readOnly", "editor", "owner"]),
});

function NewOperator({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const options = useRoleOptions();
  const form = useForm(NEW_OPERATOR, { username: "", password: "", role: "readOnly" });
  const add = useStudioMutation(
    (studio, operator: z.infer<typeof NEW_OPERATOR>) => studio.post("/operators", operator),
    ({ username: name }) => t("Operator {name} added", { name }),
  );
  return (
    <FormDialog
      onClose={onClose}
      title={t("Add operator")}
      confirmLabel={t("Add")}
      form={form}
      mutation={add}
    >
      <Field label={t("Name")} {...form.input("username")} maxLength={100} isCode />
      <Field
        label={t("Initial password")}
        type="password"
        hint={t(
          "At least 12 characters. Must not contain the username. They can change it in their account.",
        )}
        {...form.input("password")}
        autoComplete="new-password"
      />
      <Select label={t("Role")} {...form.choice("role")} options={options} />
    </FormDialog>
  );
}
