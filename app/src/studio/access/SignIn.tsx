import { type FormEvent, useEffect, useRef, useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Field } from "../../design/Field.tsx";
import { ErrorState } from "../../design/states.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import { StudioFailure } from "../api.ts";
import { useStudio } from "../StudioContext.tsx";
import { PasswordField } from "./PasswordField.tsx";

/** Name and password, then the second factor where the operator has one. */
export function SignIn({ username: known }: { username?: string }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [username, setUsername] = useState(known ?? "");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [wantsCode, setWantsCode] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const codeField = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (wantsCode) codeField.current?.querySelector("input")?.focus();
  }, [wantsCode]);

  async function enter(event: FormEvent) {
    event.preventDefault();
    setIsBusy(true);
    setFailure(undefined);
    try {
      await studio.enter("POST", "/session", { username, password, ...(wantsCode && { code: code.trim() }) });
    } catch (error) {
      if (error instanceof StudioFailure && error.secondFactor && !wantsCode) setWantsCode(true);
      else setFailure(error);
    } finally {
      setIsBusy(false);
    }
  }
  const isWrong = failure instanceof StudioFailure && failure.status === 401;
  const isWrongCode =
    wantsCode && failure instanceof StudioFailure && failure.status < 429 && failure.code !== 101;
  return (
    <form className="stack" onSubmit={(event) => void enter(event)}>
      {failure !== undefined && !isWrong && !isWrongCode && <ErrorState error={failure} />}
      <Field
        label={t("Username")}
        value={username}
        onChange={(event) => setUsername(event.target.value)}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        readOnly={known !== undefined}
      />
      <PasswordField
        label={t("Password")}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        autoComplete="current-password"
        required
        problem={isWrong && !isWrongCode ? t("The username or the password is wrong.") : undefined}
      />
      {wantsCode && (
        <div ref={codeField}>
          <Field
            label={t("Code")}
            hint={t("Six digits of your authenticator, or one of your recovery codes.")}
            value={code}
            onChange={(event) => setCode(event.target.value)}
            autoComplete="one-time-code"
            required
            problem={isWrongCode ? t("This code is not right, or no longer.") : undefined}
          />
        </div>
      )}
      <Button type="submit" variant="primary" busy={isBusy}>
        {t("Sign in")}
      </Button>
    </form>
  );
}
