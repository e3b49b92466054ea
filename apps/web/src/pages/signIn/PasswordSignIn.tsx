import { useMoralis } from "@purse/react";
import { Button, ErrorState, Field, useTranslation } from "@purse/ui";
import { type FormEvent, useState } from "react";
import { CodeForm } from "./CodeForm.tsx";
import { ForgotPassword } from "./ForgotPassword.tsx";
import { needsTwoFactorCode } from "./twoFactorErrors.ts";

type Mode = "login" | "signup" | "forgotten";

export interface PasswordSignInProps {
  /** Restricts signing in to this username. */
  restrictTo?: string;
}

/** A form for both login and signup that keeps its input when switching. */
export function PasswordSignIn({ restrictTo }: PasswordSignInProps) {
  const { t } = useTranslation();
  const { login, signup, isAuthenticating } = useMoralis();
  const [mode, setMode] = useState<Mode>("login");
  const [username, setUsername] = useState(restrictTo ?? "");
  const [password, setPassword] = useState("");
  const [email, setEmail] = useState("");
  const [wasSubmitted, setWasSubmitted] = useState(false);
  const [error, setError] = useState<unknown>();
  const missing = { username: username.trim() === "", password: password === "" };

  async function submit(event: FormEvent) {
    event.preventDefault();
    setWasSubmitted(true);
    setError(undefined);
    if (missing.username || missing.password) return;
    if (mode === "login") await login(username, password, { usePost: true, onError: setError });
    else await signup(username, password, email === "" ? undefined : email, {}, { onError: setError });
  }

  if (mode === "forgotten") return <ForgotPassword onBack={() => setMode("login")} />;
  if (error !== undefined && needsTwoFactorCode(error)) {
    return (
      <div className="stack">
        <CodeForm
          error={error}
          busy={isAuthenticating}
          onCode={(token) =>
            void login(username, password, { authData: { mfa: { token } }, onError: setError })
          }
        />
        <Button variant="quiet" onClick={() => setError(undefined)}>
          {t("Back")}
        </Button>
      </div>
    );
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => void submit(event)}
      noValidate
      aria-label={mode === "login" ? t("Log in") : t("Sign up")}
    >
      <Field
        label={t("Username")}
        autoComplete="username"
        autoCapitalize="none"
        value={username}
        readOnly={restrictTo !== undefined}
        onChange={(event) => setUsername(event.target.value)}
        problem={wasSubmitted && missing.username ? t("Enter a username.") : undefined}
      />
      <Field
        label={t("Password")}
        type="password"
        autoComplete={mode === "login" ? "current-password" : "new-password"}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        problem={wasSubmitted && missing.password ? t("Enter a password.") : undefined}
      />
      {mode === "signup" && (
        <Field
          label={t("Email (optional)")}
          type="email"
          autoComplete="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          hint={t("Used to reset your password.")}
        />
      )}
      {error !== undefined && <ErrorState error={error} />}
      <Button type="submit" variant="primary" busy={isAuthenticating}>
        {mode === "login" ? t("Log in") : t("Create account")}
      </Button>
      {restrictTo === undefined && (
        <Button variant="quiet" onClick={() => setMode(mode === "login" ? "signup" : "login")}>
          {mode === "login" ? t("Don't have an account? Sign up") : t("Have an account? Log in")}
        </Button>
      )}
      {mode === "login" && (
        <Button variant="quiet" onClick={() => setMode("forgotten")}>
          {t("Forgot password?")}
        </Button>
      )}
    </form>
  );
}
