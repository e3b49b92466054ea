import type { User } from "@purse/client";
import { useMoralis } from "@purse/react";
import { type FormEvent, useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Checkbox } from "../../design/Choice.tsx";
import { Code } from "../../design/Code.tsx";
import { Dialog } from "../../design/Dialog.tsx";
import { Field } from "../../design/Field.tsx";
import { QrCode } from "../../design/QrCode.tsx";
import { Notice, Status } from "../../design/Status.tsx";
import { ErrorState } from "../../design/states.tsx";
import { useToast } from "../../design/Toasts.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import { isWrongCode } from "../signIn/twoFactorErrors.ts";
import { stringField } from "./stringField.ts";
import { newTotpSecret, totpUri } from "./totp.ts";

/** A second factor: codes of an app on another device, beside the password. */
export function TwoFactor({ user }: { user: User }) {
  const { t } = useTranslation();
  const [openDialog, setOpenDialog] = useState<"on" | "off">();
  const authData: unknown = user.get("authData");
  const isOn =
    typeof authData === "object" && authData !== null && "mfa" in authData && authData.mfa !== null;
  return (
    <section className="card stack" aria-labelledby="factor">
      <h2 id="factor">{t("Second factor")}</h2>
      <p className="soft">
        {t("An app on your phone makes a code that signing in then asks for, beside everything else.")}
      </p>
      <div className="row">
        {isOn ? <Status kind="ok">{t("On")}</Status> : <Status kind="idle">{t("Off")}</Status>}
        <Button onClick={() => setOpenDialog(isOn ? "off" : "on")}>
          {isOn ? t("Turn it off") : t("Set it up")}
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
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [error, setError] = useState<unknown>();
  async function enable(event: FormEvent) {
    event.preventDefault();
    const code = token.replace(/\s/g, "");
    if (!/^\d{6}$/.test(code)) return setProblem(t("The code has six digits."));
    setProblem(undefined);
    setError(undefined);
    setBusy(true);
    try {
      await user.linkWith("mfa", { authData: { secret, token: code } });
      setRecoveryCodes(recoveryCodesOf(user));
      // The secret is the phone's from now on: nothing of it stays in this browser.
      await refetchUserData();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }
  if (recoveryCodes !== undefined) {
    return (
      <Dialog
        open
        onClose={() => hasSavedCodes && onClose()}
        title={t("Keep these recovery codes")}
        description={t("Each one signs you in once without the phone. They are not shown again.")}
        actions={
          <Button variant="primary" disabled={!hasSavedCodes} onClick={onClose}>
            {t("Done")}
          </Button>
        }
      >
        <div className="stack">
          <Code label={t("Recovery codes")} text={recoveryCodes} />
          <Checkbox
            label={t("I have kept them in a safe place")}
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
      title={t("Set up a second factor")}
      description={t("Scan this with an authenticator app, then type the code that it shows.")}
    >
      <form className="stack" onSubmit={(event) => void enable(event)} noValidate>
        <QrCode
          text={totpUri(secret, stringField(user.get("username")), "Purse")}
          label={t("QR code of the second factor")}
        />
        <Code label={t("The same to type by hand")} text={secret} />
        <Field
          label={t("Code of the app")}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={token}
          onChange={(event) => setToken(event.target.value)}
          problem={problem ?? wrongCodeMessage(error, t)}
          after={
            <Button type="submit" variant="primary" busy={busy}>
              {t("Turn it on")}
            </Button>
          }
        />
        {error !== undefined && !isWrongCode(error) && <ErrorState error={error} />}
      </form>
    </Dialog>
  );
}

function wrongCodeMessage(error: unknown, t: (sentence: string) => string): string | undefined {
  return isWrongCode(error)
    ? t("Wrong code. Enter the one that the app shows now; each code works once.")
    : undefined;
}

function DisableTwoFactor({ user, onClose }: TwoFactorDialogProps) {
  const { t } = useTranslation();
  const { refetchUserData } = useMoralis();
  const toast = useToast();
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  async function disable(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await user.linkWith("mfa", { authData: { old: token.replace(/\s/g, ""), disable: true } });
      await refetchUserData();
      toast(t("The second factor is off"));
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }
  return (
    <Dialog open onClose={onClose} title={t("Turn the second factor off?")}>
      <form className="stack" onSubmit={(event) => void disable(event)} noValidate>
        <Notice kind="warning" title={t("Your password or wallet alone will be enough again")} />
        <Field
          label={t("Code of the app, or a recovery code")}
          autoComplete="one-time-code"
          value={token}
          onChange={(event) => setToken(event.target.value)}
          problem={wrongCodeMessage(error, t)}
        />
        {error !== undefined && !isWrongCode(error) && <ErrorState error={error} />}
        <div>
          <Button type="submit" variant="danger" busy={busy} disabled={token === ""}>
            {t("Turn it off")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** As the server told them once: one a line. */
function recoveryCodesOf(user: User): string {
  const answer: unknown = user.get("authDataResponse");
  const mfa = typeof answer === "object" && answer !== null && "mfa" in answer ? answer.mfa : undefined;
  const codes = typeof mfa === "object" && mfa !== null && "recovery" in mfa ? mfa.recovery : undefined;
  return typeof codes === "string" ? codes.split(", ").join("\n") : "";
}
