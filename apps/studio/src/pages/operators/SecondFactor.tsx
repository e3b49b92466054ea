import {
  Button,
  Code,
  ConfirmDialog,
  Dialog,
  downloadFile,
  Field,
  Notice,
  QrCode,
  Status,
  useTranslation,
} from "@purse/ui";
import { useState } from "react";
import { Section } from "../../components/Page.tsx";
import { useStudioMutation } from "../../components/queries.ts";
import { useOperator, useStudio } from "../../StudioContext.tsx";

/** Enables or disables two-factor authentication. */
export function SecondFactor() {
  const { t } = useTranslation();
  const { hasSecondFactor } = useOperator();
  const [dialog, setDialog] = useState<"add" | "remove" | undefined>(undefined);
  const close = () => setDialog(undefined);
  return (
    <Section title={t("Two-factor authentication")}>
      <p>
        {hasSecondFactor ? (
          <Status kind="ok">{t("On – code required at sign-in")}</Status>
        ) : (
          <Status kind="warning">{t("Off – password only")}</Status>
        )}
      </p>
      <p className="soft">
        {t("Require a code from an authenticator app at sign-in. A stolen password alone is not enough.")}
      </p>
      <div className="row">
        {hasSecondFactor ? (
          <Button variant="danger" onClick={() => setDialog("remove")}>
            {t("Disable")}
          </Button>
        ) : (
          <Button variant="primary" onClick={() => setDialog("add")}>
            {t("Set up")}
          </Button>
        )}
      </div>
      {dialog === "add" && <SetUpFactor onClose={close} />}
      {dialog === "remove" && <RemoveFactor onClose={close} />}
    </Section>
  );
}

/** Asks for the password, shows the QR code, confirms a code and shows the recovery codes. */
function SetUpFactor({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const begin = useStudioMutation(() =>
    studio.post<{ secret: string; url: string }>("/second-factor", { password }),
  );
  const confirm = useStudioMutation(() =>
    studio.put<{ recoveryCodes: string[] }>("/second-factor", { code: code.replace(/\s/g, "") }),
  );
  /** Reloads the session only after the recovery codes were shown. */
  function finish() {
    onClose();
    void studio.loadSession();
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
              {t("Download")}
            </Button>
            <Button variant="primary" onClick={finish}>
              {t("I've saved my recovery codes")}
            </Button>
          </>
        }
      >
        <div className="stack">
          <Notice kind="warning" title={t("Save these codes now")}>
            {t("You won't see these codes again. Each code works once if you lose your authenticator.")}
          </Notice>
          <Code label={t("Recovery codes")} text={confirm.data.recoveryCodes.join("\n")} />
        </div>
      </Dialog>
    );
  }
  if (begin.data) {
    return (
      <ConfirmDialog
        open
        onClose={onClose}
        title={t("Scan this QR code")}
        description={t("Scan it with an authenticator app, then enter the code it shows.")}
        confirmLabel={t("Enable")}
        busy={confirm.isPending}
        error={confirm.error}
        disabled={code.trim() === ""}
        onConfirm={() => confirm.mutate()}
      >
        <QrCode text={begin.data.url} label={t("QR code")} />
        <Code label={t("Or enter this key manually")} text={begin.data.secret} />
        <Field
          label={t("Authenticator code")}
          inputMode="numeric"
          value={code}
          onChange={(event) => setCode(event.target.value)}
          maxLength={10}
          autoComplete="one-time-code"
        />
      </ConfirmDialog>
    );
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t("Set up two-factor authentication")}
      description={t("Enter your password to continue.")}
      confirmLabel={t("Continue")}
      busy={begin.isPending}
      error={begin.error}
      disabled={password === ""}
      onConfirm={() => begin.mutate()}
    >
      <OwnPassword value={password} onChange={setPassword} />
    </ConfirmDialog>
  );
}

function RemoveFactor({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const remove = useStudioMutation(
    () => studio.delete("/second-factor", { password, code: code.trim() }),
    t("Two-factor authentication disabled"),
  );
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t("Disable two-factor authentication?")}
      description={t("You will sign in with your password only.")}
      confirmLabel={t("Disable")}
      danger
      busy={remove.isPending}
      error={remove.error}
      disabled={password === "" || code.trim() === ""}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess() {
            onClose();
            void studio.loadSession();
          },
        })
      }
    >
      <OwnPassword value={password} onChange={setPassword} />
      <Field
        label={t("Code")}
        hint={t("Authenticator code or recovery code")}
        value={code}
        onChange={(event) => setCode(event.target.value)}
        autoComplete="one-time-code"
      />
    </ConfirmDialog>
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
