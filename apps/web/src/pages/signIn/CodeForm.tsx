import { Button, Field, useTranslation } from "@purse/ui";
import { type FormEvent, useState } from "react";
import { isWrongCode } from "./twoFactorErrors.ts";

export interface CodeFormProps {
  /** Why a code is required: two-factor authentication is enabled, or the last code was wrong. */
  error: unknown;
  busy: boolean;
  onCode: (code: string) => void;
  hint?: string;
}

/** The form for the two-factor code. */
export function CodeForm({ error, busy, onCode, hint }: CodeFormProps) {
  const { t } = useTranslation();
  const [code, setCode] = useState("");
  function submit(event: FormEvent) {
    event.preventDefault();
    const plain = code.replace(/\s/g, "");
    if (plain !== "") onCode(plain);
  }
  return (
    <form className="stack" onSubmit={submit} noValidate aria-label={t("Two-factor authentication")}>
      <Field
        label={t("Authenticator code")}
        inputMode="text"
        autoComplete="one-time-code"
        autoCapitalize="none"
        autoFocus
        value={code}
        onChange={(event) => setCode(event.target.value)}
        hint={[t("Enter the 6-digit code, or a recovery code."), hint].filter(Boolean).join(" ")}
        problem={isWrongCode(error) ? t("Invalid or already used code. Enter the next one.") : undefined}
      />
      <Button type="submit" variant="primary" busy={busy}>
        {t("Continue")}
      </Button>
    </form>
  );
}
