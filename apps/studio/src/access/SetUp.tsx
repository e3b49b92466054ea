import { Button, Code, ErrorState, Field, useTranslation } from "@purse/ui";
import { type FormEvent, useState } from "react";
import { useStudio } from "../StudioContext.tsx";
import { PasswordField } from "./PasswordField.tsx";

const MIN_PASSWORD_LENGTH = 12;

/** Creates the first operator with the setup code from the server log. */
export function SetUp() {
  const { t } = useTranslation();
  const studio = useStudio();
  const [code, setCode] = useState(codeFromUrl);
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  async function handleSubmit(event: FormEvent) {
    event.preventDefault();
    setIsBusy(true);
    setFailure(undefined);
    try {
      await studio.authenticate("POST", "/setup", { code: code.trim(), username, password });
      // The code is used, so it is removed from the URL.
      window.history.replaceState(null, "", window.location.pathname);
    } catch (error) {
      setFailure(error);
    } finally {
      setIsBusy(false);
    }
  }
  return (
    <>
      <h1>{t("Set up the studio")}</h1>
      <p className="soft">
        {t("This server has no operators yet. The first operator is an owner and can add others.")}
      </p>
      <form className="stack" onSubmit={(event) => void handleSubmit(event)}>
        {failure !== undefined && <ErrorState error={failure} />}
        <Field
          label={t("Setup code")}
          hint={t("Printed in the server log on every start. Valid for 24 hours.")}
          value={code}
          onChange={(event) => setCode(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          required
        />
        <Field
          label={t("Username")}
          value={username}
          onChange={(event) => setUsername(event.target.value)}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
        <PasswordField
          label={t("Password")}
          hint={t("At least {n} characters", { n: MIN_PASSWORD_LENGTH })}
          value={password}
          minLength={MIN_PASSWORD_LENGTH}
          onChange={(event) => setPassword(event.target.value)}
          autoComplete="new-password"
          required
        />
        <Button type="submit" variant="primary" busy={isBusy}>
          {t("Create first operator")}
        </Button>
      </form>
      <details>
        <summary className="small">{t("Don't have the link?")}</summary>
        <p className="soft small">{t("Anyone with shell access to the server can add an owner:")}</p>
        <Code label={t("command")} text="npm run purse -- operator add NAME" />
      </details>
    </>
  );
}

function codeFromUrl(): string {
  return new URLSearchParams(window.location.hash.slice(1)).get("setup") ?? "";
}
