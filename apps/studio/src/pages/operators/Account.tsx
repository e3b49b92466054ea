import type { StudioSession } from "@purse/server/studio-api";
import { Button, ErrorState, Field, Form, QueryState, secret, useForm, useTranslation } from "@purse/ui";
import * as z from "zod/mini";
import { DialogButton } from "../../components/DialogButton.tsx";
import { Section } from "../../components/Page.tsx";
import { useStudioList, useStudioMutation } from "../../components/useStudioQuery.ts";
import { useOperator } from "../../StudioContext.tsx";
import { NewAccessToken } from "./NewAccessToken.tsx";
import { OwnPasskeys } from "./OwnPasskeys.tsx";
import { OwnSecondFactor } from "./OwnSecondFactor.tsx";
import { useRoleNames } from "./roleNames.ts";
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
        <OwnSecondFactor />
      </div>
      <OwnPasskeys />
      <OwnSessions />
    </>
  );
}

const PASSWORDS = z.object({ password: secret(), newPassword: secret() });

function Password() {
  const { t } = useTranslation();
  const form = useForm(PASSWORDS, { password: "", newPassword: "" });
  const change = useStudioMutation(
    (studio, passwords: z.infer<typeof PASSWORDS>) => studio.changePassword(passwords),
    t("Password changed. Other sessions were signed out."),
  );
  return (
    <Section title={t("Password")}>
      <Form
        form={form}
        onSubmit={(passwords) => change.mutate(passwords, { onSuccess: form.reset })}
        submitLabel={t("Change password")}
        disabled={!form.isValid}
        busy={change.isPending}
        error={change.error}
      >
        <Field
          label={t("Current password")}
          type="password"
          {...form.input("password")}
          autoComplete="current-password"
        />
        <Field
          label={t("New password")}
          type="password"
          hint={t("At least 12 characters. Must not contain the username.")}
          {...form.input("newPassword")}
          autoComplete="new-password"
        />
      </Form>
    </Section>
  );
}

function OwnSessions() {
  const { t } = useTranslation();
  const sessions = useStudioList("/sessions", {});
  const endSession = useStudioMutation(
    (studio, { id }: StudioSession) => studio.delete("/sessions/:id", { id }),
    t("Session revoked"),
  );
  const endOthers = useStudioMutation(
    (studio) => studio.delete("/sessions", {}),
    t("All other sessions revoked"),
  );
  return (
    <Section
      title={t("Sessions")}
      actions={
        <div className="row">
          <DialogButton
            small
            label={t("Create access token")}
            dialog={(close) => <NewAccessToken onClose={close} />}
          />
          <Button small variant="danger" busy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {t("Revoke all other sessions")}
          </Button>
        </div>
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
