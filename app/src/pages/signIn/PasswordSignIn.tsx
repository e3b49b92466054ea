import { useMoralis } from "@purse/react";
import { type FormEvent, useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Field } from "../../design/Field.tsx";
import { ErrorState } from "../../design/states.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { CodeForm } from "./CodeForm.tsx";
import { Forgotten } from "./Forgotten.tsx";
import { asksForCode } from "./factorAsked.ts";

type Mode = "login" | "signup" | "forgotten";

export interface PasswordSignInProps {
  /** Who signs in again: nobody else can. */
  only?: string;
}

/** One form for logging in and signing up, so that nothing typed is lost on the way from one to the other. */
export function PasswordSignIn({ only }: PasswordSignInProps) {
  const { t } = useTexts();
  const { login, signup, isAuthenticating } = useMoralis();
  const [mode, setMode] = useState<Mode>("login");
  const [username, setUsername] = useState(only ?? "");
  const [password, setPassword] = useState("");
  const [email, setEmail] = useState("");
  const [tried, setTried] = useState(false);
  const [error, setError] = useState<unknown>();
  const missing = { username: username.trim() === "", password: password === "" };

  async function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    setError(undefined);
    if (missing.username || missing.password) return;
    if (mode === "login") await login(username, password, { usePost: true, onError: setError });
    else await signup(username, password, email === "" ? undefined : email, {}, { onError: setError });
  }

  if (mode === "forgotten") return <Forgotten onBack={() => setMode("login")} />;
  if (error !== undefined && asksForCode(error)) {
    return (
      <div className="stack">
        <CodeForm
          error={error}
          busy={isAuthenticating}
          onCode={(token) =>
            void login(username, password, { authData: { mfa: { token } }, onError: setError })
          }
        />
        <Button look="quiet" onClick={() => setError(undefined)}>
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
        readOnly={only !== undefined}
        onChange={(event) => setUsername(event.target.value)}
        problem={tried && missing.username ? t("Enter a username.") : undefined}
      />
      <Field
        label={t("Password")}
        type="password"
        autoComplete={mode === "login" ? "current-password" : "new-password"}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        problem={tried && missing.password ? t("Enter a password.") : undefined}
      />
      {mode === "signup" && (
        <Field
          label={t("E-mail (optional)")}
          type="email"
          autoComplete="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          hint={t("To come back by when the password is gone.")}
        />
      )}
      {error !== undefined && <ErrorState error={error} />}
      <Button type="submit" look="primary" busy={isAuthenticating}>
        {mode === "login" ? t("Log in") : t("Create account")}
      </Button>
      {only === undefined && (
        <Button look="quiet" onClick={() => setMode(mode === "login" ? "signup" : "login")}>
          {mode === "login" ? t("No account yet? Sign up") : t("Have an account? Log in")}
        </Button>
      )}
      {mode === "login" && (
        <Button look="quiet" onClick={() => setMode("forgotten")}>
          {t("Forgotten your password?")}
        </Button>
      )}
    </form>
  );
}
