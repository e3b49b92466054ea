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
import { useTexts } from "../../texts/TextsContext.tsx";
import { isWrongCode } from "../signIn/factorAsked.ts";
import { factorAddress, newFactorSecret } from "./factor.ts";
import { textOf } from "./textOf.ts";

/** A second factor: codes of an app on another device, beside the password. */
export function SecondFactor({ user }: { user: User }) {
  const { t } = useTexts();
  const [shown, setShown] = useState<"on" | "off">();
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
        <Button onClick={() => setShown(isOn ? "off" : "on")}>
          {isOn ? t("Turn it off") : t("Set it up")}
        </Button>
      </div>
      {shown === "on" && <SetUp user={user} onClose={() => setShown(undefined)} />}
      {shown === "off" && <TurnOff user={user} onClose={() => setShown(undefined)} />}
    </section>
  );
}

interface StepProps {
  user: User;
  onClose: () => void;
}

function SetUp({ user, onClose }: StepProps) {
  const { t } = useTexts();
  const { refetchUserData } = useMoralis();
  const [secret] = useState(newFactorSecret);
  const [token, setToken] = useState("");
  const [recovery, setRecovery] = useState<string>();
  const [isKept, setIsKept] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [error, setError] = useState<unknown>();
  async function check(event: FormEvent) {
    event.preventDefault();
    const code = token.replace(/\s/g, "");
    if (!/^\d{6}$/.test(code)) return setProblem(t("The code has six digits."));
    setProblem(undefined);
    setError(undefined);
    setBusy(true);
    try {
      await user.linkWith("mfa", { authData: { secret, token: code } });
      setRecovery(recoveryOf(user));
      // The secret is the phone's from now on: nothing of it stays in this browser.
      await refetchUserData();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }
  if (recovery !== undefined) {
    return (
      <Dialog
        open
        onClose={() => isKept && onClose()}
        title={t("Keep these recovery codes")}
        about={t("Each one signs you in once without the phone. They are not shown again.")}
        actions={
          <Button look="primary" disabled={!isKept} onClick={onClose}>
            {t("Done")}
          </Button>
        }
      >
        <div className="stack">
          <Code label={t("Recovery codes")} text={recovery} />
          <Checkbox label={t("I have kept them in a safe place")} checked={isKept} onChange={setIsKept} />
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Set up a second factor")}
      about={t("Scan this with an authenticator app, then type the code that it shows.")}
    >
      <form className="stack" onSubmit={(event) => void check(event)} noValidate>
        <QrCode
          text={factorAddress(secret, textOf(user.get("username")), "Purse")}
          label={t("QR code of the second factor")}
        />
        <Code label={t("The same to type by hand")} text={secret} />
        <Field
          label={t("Code of the app")}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={token}
          onChange={(event) => setToken(event.target.value)}
          problem={problem ?? wrongCode(error, t)}
          after={
            <Button type="submit" look="primary" busy={busy}>
              {t("Turn it on")}
            </Button>
          }
        />
        {error !== undefined && !isWrongCode(error) && <ErrorState error={error} />}
      </form>
    </Dialog>
  );
}

function wrongCode(error: unknown, t: (sentence: string) => string): string | undefined {
  return isWrongCode(error)
    ? t("Wrong code. Enter the one that the app shows now; each code works once.")
    : undefined;
}

function TurnOff({ user, onClose }: StepProps) {
  const { t } = useTexts();
  const { refetchUserData } = useMoralis();
  const toast = useToast();
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  async function turnOff(event: FormEvent) {
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
      <form className="stack" onSubmit={(event) => void turnOff(event)} noValidate>
        <Notice kind="warning" title={t("Your password or wallet alone will be enough again")} />
        <Field
          label={t("Code of the app, or a recovery code")}
          autoComplete="one-time-code"
          value={token}
          onChange={(event) => setToken(event.target.value)}
          problem={wrongCode(error, t)}
        />
        {error !== undefined && !isWrongCode(error) && <ErrorState error={error} />}
        <div>
          <Button type="submit" look="danger" busy={busy} disabled={token === ""}>
            {t("Turn it off")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** As the server told them once: one a line. */
function recoveryOf(user: User): string {
  const answer: unknown = user.get("authDataResponse");
  const mfa = typeof answer === "object" && answer !== null && "mfa" in answer ? answer.mfa : undefined;
  const codes = typeof mfa === "object" && mfa !== null && "recovery" in mfa ? mfa.recovery : undefined;
  return typeof codes === "string" ? codes.split(", ").join("\n") : "";
}
