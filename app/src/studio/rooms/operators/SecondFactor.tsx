import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Code } from "../../../design/Code.tsx";
import { Dialog } from "../../../design/Dialog.tsx";
import { Field } from "../../../design/Field.tsx";
import { QrCode } from "../../../design/QrCode.tsx";
import { Notice, Status } from "../../../design/Status.tsx";
import { downloadFile } from "../../../downloadFile.ts";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useOperator, useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useChange } from "../parts/asking.ts";
import { Section } from "../parts/Room.tsx";

/** Codes of an authenticator beside the password: set up, or taken away. */
export function SecondFactor() {
  const { t } = useTranslation();
  const { hasSecondFactor } = useOperator();
  const [question, setQuestion] = useState<"add" | "remove" | undefined>(undefined);
  const close = () => setQuestion(undefined);
  return (
    <Section title={t("Second factor")}>
      <p>
        {hasSecondFactor ? (
          <Status kind="ok">{t("On: signing in takes a code too")}</Status>
        ) : (
          <Status kind="warning">{t("Off: the password alone is enough")}</Status>
        )}
      </p>
      <p className="soft">
        {t(
          "An authenticator on your phone shows a new code every 30 seconds. Who has your password has not it.",
        )}
      </p>
      <div className="row">
        {hasSecondFactor ? (
          <Button variant="danger" onClick={() => setQuestion("remove")}>
            {t("Take it away")}
          </Button>
        ) : (
          <Button variant="primary" onClick={() => setQuestion("add")}>
            {t("Set it up")}
          </Button>
        )}
      </div>
      {question === "add" && <SetUpFactor onClose={close} />}
      {question === "remove" && <RemoveFactor onClose={close} />}
    </Section>
  );
}

/** Password, then the code to scan and its answer, then what to keep. */
function SetUpFactor({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const begin = useChange(() => studio.post<{ secret: string; url: string }>("/second-factor", { password }));
  const confirm = useChange(() =>
    studio.put<{ recoveryCodes: string[] }>("/second-factor", { code: code.replace(/\s/g, "") }),
  );
  /** Only now: the account's card changes when the codes have been seen. */
  function finish() {
    onClose();
    void studio.load();
  }
  if (confirm.data) {
    return (
      <Dialog
        open
        onClose={finish}
        title={t("Your recovery codes")}
        actions={
          <>
            <Button
              onClick={() =>
                downloadFile("purse-recovery-codes.txt", `${confirm.data.recoveryCodes.join("\n")}\n`)
              }
            >
              {t("Download them")}
            </Button>
            <Button variant="primary" onClick={finish}>
              {t("I have kept them")}
            </Button>
          </>
        }
      >
        <div className="stack">
          <Notice kind="warning" title={t("Keep them now")}>
            {t("They are shown this once. Each signs you in one time, if the authenticator is lost.")}
          </Notice>
          <Code label={t("Recovery codes")} text={confirm.data.recoveryCodes.join("\n")} />
        </div>
      </Dialog>
    );
  }
  if (begin.data) {
    return (
      <Ask
        open
        onClose={onClose}
        title={t("Scan this code")}
        about={t("With an authenticator; then type the code that it shows.")}
        verb={t("Turn it on")}
        busy={confirm.isPending}
        error={confirm.error}
        disabled={code.trim() === ""}
        onDo={() => confirm.mutate()}
      >
        <QrCode text={begin.data.url} label={t("The code to scan")} />
        <Code label={t("Or type this key")} text={begin.data.secret} />
        <Field
          label={t("Code of the authenticator")}
          inputMode="numeric"
          value={code}
          onChange={(event) => setCode(event.target.value)}
          maxLength={10}
          autoComplete="one-time-code"
        />
      </Ask>
    );
  }
  return (
    <Ask
      open
      onClose={onClose}
      title={t("Set up a second factor")}
      about={t("First your password, so that nobody else does this for you.")}
      verb={t("Go on")}
      busy={begin.isPending}
      error={begin.error}
      disabled={password === ""}
      onDo={() => begin.mutate()}
    >
      <OwnPassword value={password} onChange={setPassword} />
    </Ask>
  );
}

function RemoveFactor({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const remove = useChange(
    () => studio.delete("/second-factor", { password, code: code.trim() }),
    t("The second factor is off."),
  );
  return (
    <Ask
      open
      onClose={onClose}
      title={t("Take the second factor away?")}
      about={t("The password alone is enough to sign in then.")}
      verb={t("Take it away")}
      danger
      busy={remove.isPending}
      error={remove.error}
      disabled={password === "" || code.trim() === ""}
      onDo={() =>
        remove.mutate(undefined, {
          onSuccess() {
            onClose();
            void studio.load();
          },
        })
      }
    >
      <OwnPassword value={password} onChange={setPassword} />
      <Field
        label={t("Code")}
        hint={t("Of the authenticator, or a recovery code.")}
        value={code}
        onChange={(event) => setCode(event.target.value)}
        autoComplete="one-time-code"
      />
    </Ask>
  );
}

function OwnPassword({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const { t } = useTranslation();
  return (
    <Field
      label={t("Your password")}
      type="password"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      autoComplete="current-password"
    />
  );
}
