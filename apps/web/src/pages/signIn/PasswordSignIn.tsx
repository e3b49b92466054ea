import { type AuthData, Passkeys } from "@purse/client";
import { useMoralis, usePasskeys } from "@purse/react";
import { Button, Field, Form, PasswordField, requiredText, secret, useForm, useTranslation } from "@purse/ui";
import { useState } from "react";
import * as z from "zod/mini";
import { CodeForm } from "./CodeForm.tsx";
import { ConfirmEmail, needsConfirmedEmail } from "./ConfirmEmail.tsx";
import { ForgotPassword } from "./ForgotPassword.tsx";
import { PasswordRules } from "./PasswordRules.tsx";
import { isCancelled } from "./passkeyErrors.ts";
import { passwordHint } from "./passwordHint.ts";
import { needsTwoFactorCode } from "./twoFactorErrors.ts";
import { useInputErrors } from "./useInputErrors.ts";

type Mode = "login" | "signup" | "forgotten";

const CREDENTIALS = z.object({
  username: requiredText("Enter a username."),
  password: secret("Enter a password."),
  email: z.string(),
});

export interface PasswordSignInProps {
  /** Restricts signing in to this username. */
  restrictTo?: string;
  /** Whether the browser's dialog for a new passkey is open. */
  isCreatingPasskey: boolean;
  onCreatingPasskey: (isCreating: boolean) => void;
}

/** A form for both login and signup that keeps its input when switching. */
export function PasswordSignIn({ restrictTo, isCreatingPasskey, onCreatingPasskey }: PasswordSignInProps) {
  const { t } = useTranslation();
  const { login, signup, isAuthenticating } = useMoralis();
  const { signUp: signUpWithPasskey } = usePasskeys({ autoFetch: false });
  const [mode, setMode] = useState<Mode>("login");
  const form = useForm(CREDENTIALS, { username: restrictTo ?? "", password: "", email: "" });
  const { username, password } = form.values;
  const [error, setError] = useState<unknown>();
  const inputErrors = useInputErrors(error, form.values);
  /** Whether an account was created that may not log in yet. */
  const [isUnconfirmed, setUnconfirmed] = useState(false);

  function submit({ email }: z.infer<typeof CREDENTIALS>) {
    setError(undefined);
    if (mode === "login") void login(username, password, { usePost: true, onError: setError });
    else
      void signup(
        username,
        password,
        email === "" ? undefined : email,
        {},
        { onError: setError, onSuccess: (user) => setUnconfirmed(user.getSessionToken() === undefined) },
      );
  }

  /** Logs in with a code, or with what a passkey has signed. */
  function loginWith(mfa: AuthData) {
    return login(username, password, { authData: { mfa }, onError: setError });
  }

  /** Creates an account without a password. */
  async function createWithPasskey() {
    const { email } = form.values;
    setError(undefined);
    onCreatingPasskey(true);
    await signUpWithPasskey({
      ...(username.trim() !== "" && { username }),
      ...(email !== "" && { email }),
      onError: (problem) => !isCancelled(problem) && setError(problem),
      onSuccess: (user) => setUnconfirmed(user.getSessionToken() === undefined),
    });
    onCreatingPasskey(false);
  }

  function backToLogin() {
    setError(undefined);
    setUnconfirmed(false);
    setMode("login");
  }

  if (mode === "forgotten") return <ForgotPassword onBack={backToLogin} />;
  if (isUnconfirmed || needsConfirmedEmail(error))
    return <ConfirmEmail email={form.values.email} onBack={backToLogin} />;
  if (error !== undefined && needsTwoFactorCode(error)) {
    return (
      <div className="stack">
        <CodeForm
          error={error}
          busy={isAuthenticating}
          onCode={(token) => void loginWith({ token })}
          onPasskey={(proof) => void loginWith(proof)}
        />
        <Button variant="quiet" onClick={() => setError(undefined)}>
          {t("Back")}
        </Button>
      </div>
    );
  }
  return (
    <Form
      form={form}
      onSubmit={submit}
      submitLabel={mode === "login" ? t("Log in") : t("Create account")}
      variant="primary"
      isNarrow
      busy={isAuthenticating}
      // The account is being created.
      disabled={isCreatingPasskey}
      error={inputErrors.other}
      label={mode === "login" ? t("Log in") : t("Sign up")}
      buttons={
        <>
          {mode === "signup" && Passkeys.isSupported() && (
            <Button
              busy={isCreatingPasskey}
              disabled={isAuthenticating}
              onClick={() => void createWithPasskey()}
            >
              {t("Create account with a passkey")}
            </Button>
          )}
          {restrictTo === undefined && (
            <Button
              variant="quiet"
              disabled={isCreatingPasskey}
              onClick={() => setMode(mode === "login" ? "signup" : "login")}
            >
              {mode === "login" ? t("Don't have an account? Sign up") : t("Have an account? Log in")}
            </Button>
          )}
          {mode === "login" && (
            <Button variant="quiet" onClick={() => setMode("forgotten")}>
              {t("Forgot password?")}
            </Button>
          )}
        </>
      }
    >
      <h2 className={mode === "login" ? "visually-hidden" : undefined}>
        {mode === "login" ? t("Log in") : t("Sign up")}
      </h2>
      <Field
        label={t("Username")}
        autoComplete="username webauthn"
        autoCapitalize="none"
        {...form.input("username")}
        {...inputErrors.of("username")}
        readOnly={restrictTo !== undefined}
      />
      <PasswordField
        label={t("Password")}
        hint={mode === "signup" ? passwordHint(password, t) : undefined}
        autoComplete={mode === "login" ? "current-password" : "new-password"}
        {...form.input("password")}
      />
      {mode === "signup" && <PasswordRules />}
      {mode === "signup" && (
        <Field
          label={t("Email (optional)")}
          type="email"
          autoComplete="email"
          {...form.input("email")}
          {...inputErrors.of("email")}
          hint={t("Used to reset your password.")}
        />
      )}
    </Form>
  );
}
