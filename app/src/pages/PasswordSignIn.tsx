import { useMoralis } from "@purse/react";
import { type FormEvent, useState } from "react";
import { Button } from "../design/Button.tsx";
import { Field } from "../design/Field.tsx";
import { ErrorState } from "../design/states.tsx";

type Mode = "login" | "signup";

/** One form for both, so that nothing typed is lost on the way from one to the other. */
export function PasswordSignIn() {
  const { login, signup, isAuthenticating } = useMoralis();
  const [mode, setMode] = useState<Mode>("login");
  const [username, setUsername] = useState("");
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
    const onError = (problem: unknown) => setError(problem);
    if (mode === "login") await login(username, password, { usePost: true, onError });
    else await signup(username, password, email === "" ? undefined : email, {}, { onError });
  }

  return (
    <form className="stack" onSubmit={submit} noValidate aria-label={mode === "login" ? "Log in" : "Sign up"}>
      <Field
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        value={username}
        onChange={(event) => setUsername(event.target.value)}
        problem={tried && missing.username ? "Enter a username." : undefined}
      />
      <Field
        label="Password"
        type="password"
        autoComplete={mode === "login" ? "current-password" : "new-password"}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        problem={tried && missing.password ? "Enter a password." : undefined}
      />
      {mode === "signup" && (
        <Field
          label="E-mail (optional)"
          type="email"
          autoComplete="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      )}
      {error !== undefined && <ErrorState error={error} />}
      <Button type="submit" look="primary" busy={isAuthenticating}>
        {mode === "login" ? "Log in" : "Create account"}
      </Button>
      <Button look="quiet" onClick={() => setMode(mode === "login" ? "signup" : "login")}>
        {mode === "login" ? "No account yet? Sign up" : "Have an account? Log in"}
      </Button>
    </form>
  );
}
