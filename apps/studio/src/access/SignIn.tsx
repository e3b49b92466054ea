import { Button, ErrorState, Field, useTranslation } from "@purse/ui";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { StudioRequestError } from "../api.ts";
import { useStudio } from "../StudioContext.tsx";
import { PasswordField } from "./PasswordField.tsx";

/** Signs in with username and password, then the second factor if enabled. */
export function SignIn({ username: initialUsername }: { username?: string }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [username, setUsername] = useState(initialUsername ?? "");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [needsCode, setNeedsCode] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const codeField = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (needsCode) codeField.current?.querySelector("input")?.focus();
  }, [needsCode]);

  async function handleSubmit(event: FormEvent) {
    event.preventDefault();
    setIsBusy(true);
    setFailure(undefined);
    try {
      await studio.authenticate("POST", "/session", {
        username,
        password,
        ...(needsCode && { code: code.trim() }),
      });
    } catch (error) {
      if (error instanceof StudioRequestError && error.secondFactor && !needsCode) setNeedsCode(true);
      else setFailure(error);
    } finally {
      setIsBusy(false);
    }
  }
  const isWrong = failure instanceof StudioRequestError && failure.status === 401;
  const isWrongCode =
    needsCode && failure instanceof StudioRequestError && failure.status < 429 && failure.code !== 101;
  return (
    <form className="stack" onSubmit={(event) => void handleSubmit(event)}>
      {failure !== undefined && !isWrong && !isWrongCode && <ErrorState error={failure} />}
      <Field
        label={t("Username")}
        value={username}
        onChange={(event) => setUsername(event.target.value)}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        readOnly={initialUsername !== undefined}
      />
      <PasswordField
        label={t("Password")}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        autoComplete="current-password"
        required
        problem={isWrong && !isWrongCode ? t("Incorrect username or password") : undefined}
      />
      {needsCode && (
        <div ref={codeField}>
          <Field
            label={t("Code")}
            hint={t("6-digit authenticator code or a recovery code")}
            value={code}
            onChange={(event) => setCode(event.target.value)}
            autoComplete="one-time-code"
            required
            problem={isWrongCode ? t("Invalid or expired code") : undefined}
          />
        </div>
      )}
      <Button type="submit" variant="primary" busy={isBusy}>
        {t("Sign in")}
      </Button>
    </form>
  );
}
