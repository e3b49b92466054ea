import type { StudioSession } from "@purse/protocol";
import { Button, ErrorState, Field, QueryState, useTranslation } from "@purse/ui";
import { type FormEvent, useState } from "react";
import { Section } from "../../components/Page.tsx";
import { useStudioList, useStudioMutation } from "../../components/queries.ts";
import { useOperator, useStudio } from "../../StudioContext.tsx";
import { useRoleNames } from "./roleNames.ts";
import { SecondFactor } from "./SecondFactor.tsx";
import { SessionTable } from "./SessionTable.tsx";

/** The operator's own account. */
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
  const change = useStudioMutation(
    () => studio.authenticate("PUT", "/password", { password, newPassword }),
    t("Password changed. Other sessions were signed out."),
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
          label={t("Current password")}
          type="password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          autoComplete="current-password"
        />
        <Field
          label={t("New password")}
          type="password"
          hint={t("At least 12 characters. Must not contain the username.")}
          value={newPassword}
          onChange={(event) => setNewPassword(event.target.value)}
          autoComplete="new-password"
        />
        {change.error && <ErrorState error={change.error} />}
        <div className="row">
          <Button type="submit" busy={change.isPending} disabled={password === "" || newPassword === ""}>
            {t("Change password")}
          </Button>
        </div>
      </form>
    </Section>
  );
}

function OwnSessions() {
  const { t } = useTranslation();
  const studio = useStudio();
  const sessions = useStudioList<StudioSession>("/sessions");
  const endSession = useStudioMutation(
    ({ id }: StudioSession) => studio.delete(`/sessions/${encodeURIComponent(id)}`),
    t("Session revoked"),
  );
  const endOthers = useStudioMutation(() => studio.delete("/sessions"), t("All other sessions revoked"));
  return (
    <Section
      title={t("Sessions")}
      actions={
        <Button small variant="danger" busy={endOthers.isPending} onClick={() => endOthers.mutate()}>
          {t("Revoke all other sessions")}
        </Button>
      }
    >
      <QueryState query={sessions} label={t("Loading sessions…")}>
        {(rows) => (
          <SessionTable
            sessions={rows}
            actions={(session) =>
              !session.isCurrent && (
                <Button small busy={endSession.isPending} onClick={() => endSession.mutate(session)}>
                  {t("Revoke")}
                </Button>
              )
            }
          />
        )}
      </QueryState>
      {(endSession.error ?? endOthers.error) && <ErrorState error={endSession.error ?? endOthers.error} />}
    </Section>
  );
}
