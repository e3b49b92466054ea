import { type FormEvent, useState } from "react";
import { Button } from "../../design/Button.tsx";
import { Code } from "../../design/Code.tsx";
import { Field } from "../../design/Field.tsx";
import { ErrorState } from "../../design/states.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import { useStudio } from "../StudioContext.tsx";
import { PasswordField } from "./PasswordField.tsx";

const SHORTEST = 12;

/** The first operator, with the code that only the server's log tells. */
export function SetUp() {
  const { t } = useTranslation();
  const studio = useStudio();
  const [code, setCode] = useState(codeOfLink);
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  async function begin(event: FormEvent) {
    event.preventDefault();
    setIsBusy(true);
    setFailure(undefined);
    try {
      await studio.enter("POST", "/setup", { code: code.trim(), username, password });
      // The code is used up: it does not stay in the history.
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
        {t("This server has no operator yet. The first one is an owner, who can add others.")}
      </p>
      <form className="stack" onSubmit={(event) => void begin(event)}>
        {failure !== undefined && <ErrorState error={failure} />}
        <Field
          label={t("Setup code")}
          hint={t("The server writes a link with it to its log at each start. It is good for a day.")}
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
          hint={t("{n} characters or more.", { n: SHORTEST })}
          value={password}
          minLength={SHORTEST}
          onChange={(event) => setPassword(event.target.value)}
          autoComplete="new-password"
          required
        />
        <Button type="submit" variant="primary" busy={isBusy}>
          {t("Create the first operator")}
        </Button>
      </form>
      <details>
        <summary className="small">{t("Without the link")}</summary>
        <p className="soft small">{t("Whoever has the machine can add an owner there:")}</p>
        <Code label={t("command")} text="npm run purse -- operator add NAME" />
      </details>
    </>
  );
}

function codeOfLink(): string {
  return new URLSearchParams(window.location.hash.slice(1)).get("setup") ?? "";
}
