import { Field, Form, requiredText, useForm, useTranslation } from "@purse/ui";
import * as z from "zod/mini";
import { isWrongCode } from "./twoFactorErrors.ts";

export interface CodeFormProps {
  /** Why a code is required: two-factor authentication is enabled, or the last code was wrong. */
  error: unknown;
  busy: boolean;
  onCode: (code: string) => void;
  hint?: string;
}

const CODE = z.object({ code: requiredText() });

/** The form for the two-factor code. */
export function CodeForm({ error, busy, onCode, hint }: CodeFormProps) {
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
