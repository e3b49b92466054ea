import type { StudioOperator, StudioRole } from "@purse/protocol";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Select } from "../../../design/Choice.tsx";
import { Field } from "../../../design/Field.tsx";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { Status } from "../../../design/Status.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useOperator, useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useAnswer, useChange } from "../parts/asking.ts";
import { Answered, Section } from "../parts/Room.tsx";
import { OperatorForm } from "./OperatorForm.tsx";
import { useRoleNames, useRoleOptions } from "./roleNames.ts";

/** All operators: who they are, what they may, since when they were not here. For owners. */
export function OperatorTable() {
  const { t } = useTranslation();
  const own = useOperator();
  const roles = useRoleNames();
  const operators = useAnswer<{ results: StudioOperator[] }>("/operators");
  const [isAdding, setAdding] = useState(false);
  const [edited, setEdited] = useState<StudioOperator | undefined>(undefined);
  return (
    <Section
      title={t("All operators")}
      actions={
        <Button small variant="primary" onClick={() => setAdding(true)}>
          <UserPlus size={15} aria-hidden="true" />
          {t("Add an operator")}
        </Button>
      }
    >
      <Answered answer={operators} label={t("Loading the operators")}>
        {({ results }) => (
          <Table
            caption={t("All operators")}
            rows={results}
            rowKey={({ id }) => id}
            empty={<EmptyState title={t("There is no operator")} />}
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
                label: t("State"),
                cell: ({ isDisabled }) =>
                  isDisabled ? (
                    <Status kind="danger">{t("Disabled")}</Status>
                  ) : (
                    <Status kind="ok">{t("Active")}</Status>
                  ),
              },
              {
                key: "factor",
                label: t("Second factor"),
                cell: ({ hasSecondFactor }) =>
                  hasSecondFactor ? (
                    <Status kind="ok">{t("On")}</Status>
                  ) : (
                    <Status kind="warning">{t("Off")}</Status>
                  ),
              },
              {
                key: "seen",
                label: t("Last signed in"),
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
                      onClick={() => setEdited(operator)}
                      aria-label={t("Change {name}", { name: operator.username })}
                    >
                      {t("Change")}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Answered>
      {isAdding && <NewOperator onClose={() => setAdding(false)} />}
      {edited && <OperatorForm operator={edited} onClose={() => setEdited(undefined)} />}
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
  const add = useChange(
    () => studio.post<StudioOperator>("/operators", { username: username.trim(), password, role }),
    ({ username: name }) => t("{name} can sign in now.", { name }),
  );
  return (
    <Ask
      open
      onClose={onClose}
      title={t("Add an operator")}
      verb={t("Add")}
      busy={add.isPending}
      error={add.error}
      disabled={username.trim() === "" || password === ""}
      onDo={() => add.mutate(undefined, { onSuccess: onClose })}
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
        label={t("First password")}
        type="password"
        hint={t("12 characters or more, without the name. They can change it under their account.")}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        autoComplete="new-password"
      />
      <Select label={t("Role")} value={role} onChange={setRole} options={options} />
    </Ask>
  );
}
