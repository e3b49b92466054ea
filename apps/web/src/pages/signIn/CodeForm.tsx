import { type AuthData, Passkeys } from "@purse/client";
import { Button, ErrorState, Field, Form, requiredText, useAction, useForm, useTranslation } from "@purse/ui";
import * as z from "zod/mini";
import { isWrongCode } from "./twoFactorErrors.ts";

export interface CodeFormProps {
  /** Why a code is required: two-factor authentication is enabled, or the last code was wrong. */
  error: unknown;
  busy: boolean;
  onCode: (code: string) => void;
  hint?: string;
  /** Takes what a passkey has signed instead of a code. */
  onPasskey?: (proof: AuthData) => void;
}

const CODE = z.object({ code: requiredText() });

/** The form for the two-factor code. */
export function CodeForm({ error, busy, onCode, hint, onPasskey }: CodeFormProps) {
  const { t } = useTranslation();
  const form = useForm(CODE, { code: "" });
  return (
    <Form
      form={form}
      onSubmit={({ code }) => onCode(code.replace(/\s/g, ""))}
      submitLabel={t("Continue")}
      variant="primary"
      isNarrow
      busy={busy}
      label={t("Two-factor authentication")}
      buttons={onPasskey && Passkeys.isSupported() && <PasskeyButton onProof={onPasskey} busy={busy} />}
    >
      <Field
        label={t("Authenticator code")}
        autoComplete="one-time-code"
        autoCapitalize="none"
        autoFocus
        {...form.input("code")}
        hint={[t("Enter the 6-digit code, or a recovery code."), hint].filter(Boolean).join(" ")}
        problem={isWrongCode(error) ? t("Invalid or already used code. Enter the next one.") : undefined}
      />
    </Form>
  );
}

/** Prompts for a passkey of the account. */
function PasskeyButton({ onProof, busy }: { onProof: (proof: AuthData) => void; busy: boolean }) {
  const { t } = useTranslation();
  const { run, error, busy: isAsking } = useAction(async () => onProof(await Passkeys.proveFactor()));
  return (
    <>
      <Button busy={isAsking || busy} onClick={() => run()}>
        {t("Use a passkey")}
      </Button>
      {error !== undefined && <ErrorState error={error} />}
    </>
  );
}
