import type { StudioOperator, StudioRole, StudioSession } from "@purse/protocol";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Checkbox, Select } from "../../../design/Choice.tsx";
import { Dialog } from "../../../design/Dialog.tsx";
import { Field } from "../../../design/Field.tsx";
import { ErrorState } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useAnswer, useChange } from "../parts/asking.ts";
import { Answered } from "../parts/Room.tsx";
import { useRoleOptions } from "./roleNames.ts";
import { SessionTable } from "./SessionTable.tsx";

type Question = "reset" | "remove" | undefined;

/** What an owner does with another operator: role, whether they may sign in, a way back in, the end. */
export function OperatorForm({ operator, onClose }: { operator: StudioOperator; onClose: () => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const options = useRoleOptions();
  const path = `/operators/${encodeURIComponent(operator.id)}`;
  const name = operator.username;
  const [role, setRole] = useState<StudioRole>(operator.role);
  const [isDisabled, setDisabled] = useState(operator.isDisabled);
  const [question, setQuestion] = useState<Question>(undefined);
  const save = useChange(
    () => studio.put(path, { role, isDisabled }),
    t("{name} is changed; their sessions have ended.", { name }),
  );
  const unlock = useChange(
    () => studio.put(path, { unlock: true }),
    t("{name} can try to sign in again.", { name }),
  );
  const remove = useChange(() => studio.delete(path), t("{name} is removed.", { name }));
  const isSame = role === operator.role && isDisabled === operator.isDisabled;
  return (
    <>
      <Dialog
        open
        side
        onClose={onClose}
        title={t("Change {name}", { name })}
        description={t("A change ends their sessions.")}
        actions={
          <>
            <Button onClick={onClose}>{t("Cancel")}</Button>
            <Button
              variant="primary"
              disabled={isSame}
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
          <Checkbox label={t("Disabled: cannot sign in")} checked={isDisabled} onChange={setDisabled} />
          {save.error && <ErrorState error={save.error} />}
          <h3>{t("A way back in")}</h3>
          <p className="soft">{t("For who has lost the password or the second factor, or is locked out.")}</p>
          <div className="row wrap">
            <Button small onClick={() => setQuestion("reset")}>
              {t("Reset")}
            </Button>
            <Button small busy={unlock.isPending} onClick={() => unlock.mutate()}>
              {t("Unlock")}
            </Button>
            <Button small variant="danger" onClick={() => setQuestion("remove")}>
              {t("Remove")}
            </Button>
          </div>
          {unlock.error && <ErrorState error={unlock.error} />}
          <h3>{t("Sessions")}</h3>
          <SessionsOf path={path} />
        </div>
      </Dialog>
      {question === "reset" && (
        <ResetForm operator={operator} path={path} onClose={() => setQuestion(undefined)} />
      )}
      <Ask
        open={question === "remove"}
        onClose={() => setQuestion(undefined)}
        title={t("Remove {name}?", { name })}
        about={t("Their account goes for good. What they did stays in the audit trail.")}
        verb={t("Remove")}
        danger
        busy={remove.isPending}
        error={remove.error}
        onDo={() => remove.mutate(undefined, { onSuccess: onClose })}
      />
    </>
  );
}

function SessionsOf({ path }: { path: string }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const sessions = useAnswer<{ results: StudioSession[] }>(`${path}/sessions`);
  const end = useChange(() => studio.delete(`${path}/sessions`), t("Their sessions have ended."));
  return (
    <Answered answer={sessions} label={t("Loading the sessions")}>
      {({ results }) => (
        <>
          <SessionTable sessions={results} />
          {results.length > 0 && (
            <div className="row">
              <Button small variant="danger" busy={end.isPending} onClick={() => end.mutate()}>
                {t("End all of them")}
              </Button>
            </div>
          )}
          {end.error && <ErrorState error={end.error} />}
        </>
      )}
    </Answered>
  );
}

function ResetForm({
  operator,
  path,
  onClose,
}: {
  operator: StudioOperator;
  path: string;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [password, setPassword] = useState("");
  const [isFactorGone, setFactorGone] = useState(operator.hasSecondFactor);
  const reset = useChange(
    () => studio.put(path, { password, unlock: true, ...(isFactorGone && { removeSecondFactor: true }) }),
    t("{name} can sign in with the new password.", { name: operator.username }),
  );
  return (
    <Ask
      open
      onClose={onClose}
      title={t("Reset {name}?", { name: operator.username })}
      about={t("They get a new password from you, and their sessions end.")}
      verb={t("Reset")}
      danger
      busy={reset.isPending}
      error={reset.error}
      disabled={password === ""}
      onDo={() => reset.mutate(undefined, { onSuccess: onClose })}
    >
      <Field
        label={t("New password")}
        type="password"
        hint={t("12 characters or more, without the name.")}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        autoComplete="new-password"
      />
      {operator.hasSecondFactor && (
        <Checkbox
          label={t("Take the second factor away too")}
          checked={isFactorGone}
          onChange={setFactorGone}
        />
      )}
    </Ask>
  );
}
