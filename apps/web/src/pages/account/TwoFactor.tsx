import type { User } from "@purse/client";
import { useMoralis } from "@purse/react";
import {
  Button,
  Checkbox,
  Code,
  Dialog,
  ErrorState,
  Field,
  Notice,
  QrCode,
  Status,
  type Translator,
  useAction,
  useToast,
  useTranslation,
} from "@purse/ui";
import { type FormEvent, useState } from "react";
import { isWrongCode } from "../signIn/twoFactorErrors.ts";
import { stringField } from "./stringField.ts";
import { newTotpSecret, totpUri } from "./totp.ts";

/** Enables and disables two-factor authentication. */
export function TwoFactor({ user }: { user: User }) {
  const { t } = useTranslation();
  const [openDialog, setOpenDialog] = useState<"on" | "off">();
  const authData: unknown = user.get("authData");
  const isOn =
    typeof authData === "object" && authData !== null && "mfa" in authData && authData.mfa !== null;
  return (
    <section className="card stack" aria-labelledby="factor">
      <h2 id="factor">{t("Two-factor authentication")}</h2>
      <p className="soft">{t("Require a code from an authenticator app when you sign in.")}</p>
      <div className="row">
        {isOn ? <Status kind="ok">{t("On")}</Status> : <Status kind="idle">{t("Off")}</Status>}
        <Button onClick={() => setOpenDialog(isOn ? "off" : "on")}>
          {isOn ? t("Turn off") : t("Set up")}
        </Button>
      </div>
      {openDialog === "on" && <EnableTwoFactor user={user} onClose={() => setOpenDialog(undefined)} />}
      {openDialog === "off" && <DisableTwoFactor user={user} onClose={() => setOpenDialog(undefined)} />}
    </section>
  );
}

interface TwoFactorDialogProps {
  user: User;
  onClose: () => void;
}

function EnableTwoFactor({ user, onClose }: TwoFactorDialogProps) {
  const { t } = useTranslation();
  const { refetchUserData } = useMoralis();
  const [secret] = useState(newTotpSecret);
  const [token, setToken] = useState("");
  const [recoveryCodes, setRecoveryCodes] = useState<string>();
  const [hasSavedCodes, setHasSavedCodes] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { run, busy, error } = useAction(async (code: string) => {
    await user.linkWith("mfa", { authData: { secret, token: code } });
    setRecoveryCodes(recoveryCodesOf(user));
    // The secret must not stay in this browser.
    await refetchUserData();
  });
  function enable(event: FormEvent) {
    event.preventDefault();
    const code = token.replace(/\s/g, "");
    if (!/^\d{6}$/.test(code)) return setProblem(t("Enter a 6-digit code."));
    setProblem(undefined);
    run(code);
  }
  if (recoveryCodes !== undefined) {
    return (
      <Dialog
        open
        onClose={() => hasSavedCodes && onClose()}
        title={t("Save your recovery codes")}
        description={t("Each code signs you in once without your phone. They won't be shown again.")}
        actions={
          <Button variant="primary" disabled={!hasSavedCodes} onClick={onClose}>
            {t("Done")}
          </Button>
        }
      >
        <div className="stack">
          <Code label={t("Recovery codes")} text={recoveryCodes} />
          <Checkbox
            label={t("I've saved my recovery codes")}
            checked={hasSavedCodes}
            onChange={setHasSavedCodes}
          />
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Set up two-factor authentication")}
      description={t("Scan this with an authenticator app, then enter the code it shows.")}
    >
      <form className="stack" onSubmit={enable} noValidate>
        <QrCode
          text={totpUri(secret, stringField(user.get("username")), "Purse")}
          label={t("Two-factor QR code")}
        />
        <Code label={t("Setup key")} text={secret} />
        <Field
          label={t("Authenticator code")}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={token}
          onChange={(event) => setToken(event.target.value)}
          problem={problem ?? wrongCodeMessage(error, t)}
          after={
            <Button type="submit" variant="primary" busy={busy}>
              {t("Turn on")}
            </Button>
          }
        />
        {error !== undefined && !isWrongCode(error) && <ErrorState error={error} />}
      </form>
    </Dialog>
  );
}

function wrongCodeMessage(error: unknown, t: Translator["t"]): string | undefined {
  return isWrongCode(error)
    ? t("Wrong code. Enter the current code from your app; each code works once.")
    : undefined;
}

function DisableTwoFactor({ user, onClose }: TwoFactorDialogProps) {
  const { t } = useTranslation();
  const { refetchUserData } = useMoralis();
  const toast = useToast();
  const [token, setToken] = useState("");
  const { run, busy, error } = useAction(async () => {
    await user.linkWith("mfa", { authData: { old: token.replace(/\s/g, ""), disable: true } });
    await refetchUserData();
    toast(t("Two-factor authentication disabled"));
    onClose();
  });
  function disable(event: FormEvent) {
    event.preventDefault();
    run();
  }
  return (
    <Dialog open onClose={onClose} title={t("Turn off two-factor authentication?")}>
      <form className="stack" onSubmit={disable} noValidate>
        <Notice kind="warning" title={t("Your account will be less secure")} />
        <Field
          label={t("Authenticator code or recovery code")}
          autoComplete="one-time-code"
          value={token}
          onChange={(event) => setToken(event.target.value)}
          problem={wrongCodeMessage(error, t)}
        />
        {error !== undefined && !isWrongCode(error) && <ErrorState error={error} />}
        <div>
          <Button type="submit" variant="danger" busy={busy} disabled={token === ""}>
            {t("Turn off")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The recovery codes, which the server returns once, one per line. */
function recoveryCodesOf(user: User): string {
  const response: unknown = user.get("authDataResponse");
  const mfa =
    typeof response === "object" && response !== null && "mfa" in response ? response.mfa : undefined;
  const codes = typeof mfa === "object" && mfa !== null && "recovery" in mfa ? mfa.recovery : undefined;
  return typeof codes === "string" ? codes.split(", ").join("\n") : "";
}
