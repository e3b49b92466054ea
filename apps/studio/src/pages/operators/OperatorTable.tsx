import type { StudioOperator, StudioRole } from "@purse/protocol";
import {
  Button,
  EmptyState,
  Field,
  QueryState,
  RelativeTime,
  Select,
  Status,
  Table,
  useTranslation,
} from "@purse/ui";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { Section } from "../../components/Page.tsx";
import { useStudioMutation, useStudioQuery } from "../../components/queries.ts";
import { useOperator, useStudio } from "../../StudioContext.tsx";
import { OperatorForm } from "./OperatorForm.tsx";
import { useRoleNames, useRoleOptions } from "./roleNames.ts";

/** All operators with role, status and last sign-in. For owners. */
export function OperatorTable() {
  const { t } = useTranslation();
  const own = useOperator();
  const roles = useRoleNames();
  const operators = useStudioQuery<{ results: StudioOperator[] }>("/operators");
  const [isAdding, setAdding] = useState(false);
  const [editing, setEditing] = useState<StudioOperator | undefined>(undefined);
  return (
    <Section
      title={t("All operators")}
      actions={
        <Button small variant="primary" onClick={() => setAdding(true)}>
          <UserPlus size={15} aria-hidden="true" />
          {t("Add operator")}
        </Button>
      }
    >
      <QueryState query={operators} label={t("Loading operators…")}>
        {({ results }) => (
          <Table
            caption={t("All operators")}
            rows={results}
            rowKey={({ id }) => id}
            empty={<EmptyState title={t("No operators")} />}
            columns={[
              {
                key: "name",
                label: t("Name"),
                cell: ({ id, username }) => (
                  <span>
                    <bdi>{username}</bdi>
                    {id === own.id && <span className="soft"> {t("(you)")}</span>}
                  </span>
                ),
              },
              { key: "role", label: t("Role"), cell: ({ role }) => roles[role] },
              {
                key: "state",
                label: t("Status"),
                cell: ({ isDisabled }) =>
                  isDisabled ? (
                    <Status kind="danger">{t("Disabled")}</Status>
                  ) : (
                    <Status kind="ok">{t("Active")}</Status>
                  ),
              },
              {
                key: "factor",
                label: t("Two-factor authentication"),
                cell: ({ hasSecondFactor }) =>
                  hasSecondFactor ? (
                    <Status kind="ok">{t("On")}</Status>
                  ) : (
                    <Status kind="warning">{t("Off")}</Status>
                  ),
              },
              {
                key: "seen",
                label: t("Last sign-in"),
                hideOnPhone: true,
                cell: ({ lastSignInAt }) =>
                  lastSignInAt === undefined ? (
                    <span className="soft">{t("Never")}</span>
                  ) : (
                    <RelativeTime at={lastSignInAt} />
                  ),
              },
              {
                key: "actions",
                label: <span className="visually-hidden">{t("Actions")}</span>,
                number: true,
                cell: (operator) =>
                  operator.id !== own.id && (
                    <Button
                      small
                      onClick={() => setEditing(operator)}
                      aria-label={t("Edit {name}", { name: operator.username })}
                    >
                      {t("Edit")}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </QueryState>
      {isAdding && <NewOperator onClose={() => setAdding(false)} />}
      {editing && <OperatorForm operator={editing} onClose={() => setEditing(undefined)} />}
    </Section>
  );
}

function NewOperator({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const options = useRoleOptions();
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [role, setRole] = useState<StudioRole>("readOnly");
  const add = useStudioMutation(
    () => studio.post<StudioOperator>("/operators", { username: username.trim(), password, role }),
    ({ username: name }) => t("Operator {name} added", { name }),
  );
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t("Add operator")}
      confirmLabel={t("Add")}
      busy={add.isPending}
      error={add.error}
      disabled={username.trim() === "" || password === ""}
      onConfirm={() => add.mutate(undefined, { onSuccess: onClose })}
    >
      <Field
        label={t("Name")}
        value={username}
        onChange={(event) => setUsername(event.target.value)}
        maxLength={100}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Field
        label={t("Initial password")}
        type="password"
        hint={t(
          "At least 12 characters. Must not contain the username. They can change it in their account.",
        )}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        autoComplete="new-password"
      />
      <Select label={t("Role")} value={role} onChange={setRole} options={options} />
    </ConfirmDialog>
  );
}
