import type { StudioOperator, StudioRole } from "@purse/server/studio-api";
import {
  Button,
  Checkbox,
  Dialog,
  ErrorState,
  Field,
  FormDialog,
  MutationDialog,
  QueryState,
  Select,
  secret,
  useForm,
  useTranslation,
} from "@purse/ui";
import { useState } from "react";
import * as z from "zod/mini";
import { useStudioList, useStudioMutation } from "../../components/useStudioQuery.ts";
import { useRoleOptions } from "./roleNames.ts";
import { SessionTable } from "./SessionTable.tsx";

type DialogKind = "reset" | "remove" | undefined;

/** Edits another operator: role, status, recovery, sessions and removal. */
export function OperatorForm({ operator, onClose }: { operator: StudioOperator; onClose: () => void }) {
  const { t } = useTranslation();
  const options = useRoleOptions();
  const { id } = operator;
  const name = operator.username;
  const [role, setRole] = useState<StudioRole>(operator.role);
  const [isDisabled, setDisabled] = useState(operator.isDisabled);
  const [dialog, setDialog] = useState<DialogKind>(undefined);
  const save = useStudioMutation(
    (studio) => studio.put("/operators/:id", { id, role, isDisabled }),
    t("{name} updated and signed out", { name }),
  );
  const unlock = useStudioMutation(
    (studio) => studio.put("/operators/:id", { id, unlock: true }),
    t("{name} unlocked", { name }),
  );
  const remove = useStudioMutation(
    (studio) => studio.delete("/operators/:id", { id }),
    t("{name} removed", { name }),
  );
  const isUnchanged = role === operator.role && isDisabled === operator.isDisabled;
  return (
    <>
      <Dialog
        open
        side
        onClose={onClose}
        title={t("Edit {name}", { name })}
        description={t("Saving signs this operator out everywhere.")}
        actions={
          <>
            <Button onClick={onClose}>{t("Cancel")}</Button>
            <Button
              variant="primary"
              disabled={isUnchanged}
              busy={save.isPending}
              onClick={() => save.mutate(undefined, { onSuccess: onClose })}
            >
              {t("Save")}
            </Button>
          </>
        }
      >
        <div className="stack">
          <Select label={t("Role")} value={role} onChange={setRole} options={options} />
          <Checkbox label={t("Disabled (can't sign in)")} checked={isDisabled} onChange={setDisabled} />
          {save.error && <ErrorState error={save.error} />}
          <h3>{t("Account recovery")}</h3>
          <p className="soft">
            {t("For operators who lost their password or second factor, or are locked out")}
          </p>
          <div className="row wrap">
            <Button small onClick={() => setDialog("reset")}>
              {t("Reset")}
            </Button>
            <Button small busy={unlock.isPending} onClick={() => unlock.mutate()}>
              {t("Unlock")}
            </Button>
            <Button small variant="danger" onClick={() => setDialog("remove")}>
              {t("Remove")}
            </Button>
          </div>
          {unlock.error && <ErrorState error={unlock.error} />}
          <h3>{t("Sessions")}</h3>
          <SessionsOf id={id} />
        </div>
      </Dialog>
      {dialog === "reset" && <ResetForm operator={operator} onClose={() => setDialog(undefined)} />}
      <MutationDialog
        open={dialog === "remove"}
        onClose={() => setDialog(undefined)}
        title={t("Remove {name}?", { name })}
        description={t("The account is deleted permanently. Its actions stay in the audit log.")}
        confirmLabel={t("Remove")}
        danger
        mutation={remove}
        onDone={onClose}
      />
    </>
  );
}

function SessionsOf({ id }: { id: string }) {
  const { t } = useTranslation();
  const sessions = useStudioList("/operators/:id/sessions", { id });
  const endSessions = useStudioMutation(
    (studio) => studio.delete("/operators/:id/sessions", { id }),
    t("Sessions revoked"),
  );
  return (
    <QueryState query={sessions} label={t("Loading sessions…")}>
      {(rows) => (
        <>
          <SessionTable sessions={rows} />
          {rows.length > 0 && (
            <div className="row">
              <Button
                small
                variant="danger"
                busy={endSessions.isPending}
                onClick={() => endSessions.mutate()}
              >
                {t("Revoke all sessions")}
              </Button>
            </div>
          )}
          {endSessions.error && <ErrorState error={endSessions.error} />}
        </>
      )}
    </QueryState>
  );
}

const RESET = z.object({ password: secret(), removeSecondFactor: z.boolean() });

function ResetForm({ operator, onClose }: { operator: StudioOperator; onClose: () => void }) {
  const { t } = useTranslation();
  const form = useForm(RESET, { password: "", removeSecondFactor: operator.hasSecondFactor });
  const reset = useStudioMutation(
    (studio, { password, removeSecondFactor }: z.infer<typeof RESET>) =>
      studio.put("/operators/:id", {
        id: operator.id,
        password,
        unlock: true,
        ...(removeSecondFactor && { removeSecondFactor }),
      }),
    t("Access reset for {name}", { name: operator.username }),
  );
  return (
    <FormDialog
      onClose={onClose}
      title={t("Reset access for {name}?", { name: operator.username })}
      description={t("Sets a new password and revokes all sessions.")}
      confirmLabel={t("Reset")}
      danger
      form={form}
      mutation={reset}
    >
      <Field
        label={t("New password")}
        type="password"
        hint={t("At least 12 characters. Must not contain the username.")}
        {...form.input("password")}
        autoComplete="new-password"
      />
      {operator.hasSecondFactor && (
        <Checkbox label={t("Also remove two-factor authentication")} {...form.toggle("removeSecondFactor")} />
      )}
    </FormDialog>
  );
}
