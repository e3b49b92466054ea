import { useMoralis } from "@purse/react";
import { type FormEvent, useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Field } from "../../design/Field.tsx";
import { Notice } from "../../design/Status.tsx";
import { ErrorState } from "../../design/states.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";

/** Asks for a mail with a link to set a new password. Whether somebody has the address is not told. */
export function ForgotPassword({ onBack }: { onBack: () => void }) {
  const { t } = useTranslation();
  const { Moralis } = useMoralis();
  const [email, setEmail] = useState("");
  const [state, setState] = useState<"asking" | "busy" | "sent">("asking");
  const [problem, setProblem] = useState<string>();
  const [error, setError] = useState<unknown>();
  async function send(event: FormEvent) {
    event.preventDefault();
    if (!/^\S+@\S+$/.test(email.trim())) {
      setProblem(t("Enter the e-mail address of your account."));
      return;
    }
    setProblem(undefined);
    setError(undefined);
    setState("busy");
    try {
      await Moralis.User.requestPasswordReset(email.trim());
      setState("sent");
    } catch (failure) {
      setError(failure);
      setState("asking");
    }
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => void send(event)}
      noValidate
      aria-label={t("Forgotten password")}
    >
      {state === "sent" ? (
        <div role="status">
          <Notice kind="ok" title={t("Look into your mail")}>
            {t("If an account has this address, a link to choose a new password is on its way.")}
          </Notice>
        </div>
      ) : (
        <>
          <Field
            label={t("E-mail")}
            type="email"
            autoComplete="email"
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.target.value)}
            problem={problem}
          />
          {error !== undefined && <ErrorState error={error} />}
          <Button type="submit" variant="primary" busy={state === "busy"}>
            {t("Send me a link")}
          </Button>
        </>
      )}
      <Button variant="quiet" onClick={onBack}>
        {t("Back to log in")}
      </Button>
    </form>
  );
}
