import { useMoralis } from "@purse/react";
import { Button, ErrorState, Field, Notice, useTranslation } from "@purse/ui";
import { type FormEvent, useState } from "react";

/** Requests a password reset email. The response does not reveal whether the address is known. */
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
      setProblem(t("Enter your account's email address."));
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
      aria-label={t("Reset password")}
    >
      {state === "sent" ? (
        <div role="status">
          <Notice kind="ok" title={t("Check your email")}>
            {t("If an account with this email exists, we've sent a password reset link.")}
          </Notice>
        </div>
      ) : (
        <>
          <Field
            label={t("Email")}
            type="email"
            autoComplete="email"
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.target.value)}
            problem={problem}
          />
          {error !== undefined && <ErrorState error={error} />}
          <Button type="submit" variant="primary" busy={state === "busy"}>
            {t("Send reset link")}
          </Button>
        </>
      )}
      <Button variant="quiet" onClick={onBack}>
        {t("Back to login")}
      </Button>
    </form>
  );
}
