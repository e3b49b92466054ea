import type { StudioSession } from "@purse/protocol";
import { type FormEvent, useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Field } from "../../../design/Field.tsx";
import { ErrorState } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useOperator, useStudio } from "../../StudioContext.tsx";
import { useAnswer, useChange } from "../parts/asking.ts";
import { Answered, Section } from "../parts/Room.tsx";
import { useRoleNames } from "./roleNames.ts";
import { SecondFactor } from "./SecondFactor.tsx";
import { SessionTable } from "./SessionTable.tsx";

/** What operators change of their own account. */
export function Account() {
  const { t } = useTranslation();
  const { username, role } = useOperator();
  const roles = useRoleNames();
  return (
    <>
      <p>
        {t("You are signed in as")}{" "}
        <strong>
          <bdi>{username}</bdi>
        </strong>
        , {roles[role]}.
      </p>
      <div className="halves">
        <Password />
        <SecondFactor />
      </div>
      <OwnSessions />
    </>
  );
}

function Password() {
  const { t } = useTranslation();
  const studio = useStudio();
  const [password, setPassword] = useState("");
  const [newPassword, setNewPassword] = useState("");
  const change = useChange(
    () => studio.enter("PUT", "/password", { password, newPassword }),
    t("The password is changed. Other sessions have ended."),
  );
  function submit(event: FormEvent) {
    event.preventDefault();
    change.mutate(undefined, {
      onSuccess() {
        setPassword("");
        setNewPassword("");
      },
    });
  }
  return (
    <Section title={t("Password")}>
      <form className="stack" onSubmit={submit} noValidate>
        <Field
          label={t("Present password")}
          type="password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          autoComplete="current-password"
        />
        <Field
          label={t("New password")}
          type="password"
          hint={t("12 characters or more, without the name.")}
          value={newPassword}
          onChange={(event) => setNewPassword(event.target.value)}
          autoComplete="new-password"
        />
        {change.error && <ErrorState error={change.error} />}
        <div className="row">
          <Button type="submit" busy={change.isPending} disabled={password === "" || newPassword === ""}>
            {t("Change the password")}
          </Button>
        </div>
      </form>
    </Section>
  );
}

function OwnSessions() {
  const { t } = useTranslation();
  const studio = useStudio();
  const sessions = useAnswer<{ results: StudioSession[] }>("/sessions");
  const end = useChange(
    ({ id }: StudioSession) => studio.delete(`/sessions/${encodeURIComponent(id)}`),
    t("The session has ended."),
  );
  const endOthers = useChange(() => studio.delete("/sessions"), t("All other sessions have ended."));
  return (
    <Section
      title={t("Sessions")}
      actions={
        <Button small variant="danger" busy={endOthers.isPending} onClick={() => endOthers.mutate()}>
          {t("End all others")}
        </Button>
      }
    >
      <Answered answer={sessions} label={t("Loading the sessions")}>
        {({ results }) => (
          <SessionTable
            sessions={results}
            actions={(session) =>
              !session.isCurrent && (
                <Button small busy={end.isPending} onClick={() => end.mutate(session)}>
                  {t("End")}
                </Button>
              )
            }
          />
        )}
      </Answered>
      {(end.error ?? endOthers.error) && <ErrorState error={end.error ?? endOthers.error} />}
    </Section>
  );
}
