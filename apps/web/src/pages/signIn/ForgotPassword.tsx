import { useMoralis } from "@purse/react";
import { Button, Field, Form, Notice, requiredText, useAction, useForm, useTranslation } from "@purse/ui";
import { useState } from "react";
import * as z from "zod/mini";

const MESSAGE = "Enter your account's email address.";
const ACCOUNT = z.object({ email: requiredText(MESSAGE).check(z.regex(/^\S+@\S+$/, MESSAGE)) });

/** Requests a password reset email. The response does not reveal whether the address is known. */
export function ForgotPassword({ onBack }: { onBack: () => void }) {
  const { t } = useTranslation();
  const { Moralis } = useMoralis();
  const form = useForm(ACCOUNT, { email: "" });
  const [isSent, setSent] = useState(false);
  const { run, busy, error } = useAction(async ({ email }: z.infer<typeof ACCOUNT>) => {
    await Moralis.User.requestPasswordReset(email);
    setSent(true);
  });
  const back = (
    <Button variant="quiet" onClick={onBack}>
      {t("Back to login")}
    </Button>
  );
  if (isSent)
    return (
      <div className="stack">
        <div role="status">
          <Notice kind="ok" title={t("Check your email")}>
            {t("If an account with this email exists, we've sent a password reset link.")}
          </Notice>
        </div>
        {back}
      </div>
    );
  return (
    <Form
      form={form}
      onSubmit={run}
      submitLabel={t("Send reset link")}
      variant="primary"
      isNarrow
      {...{ busy, error }}
      label={t("Reset password")}
      buttons={back}
    >
      <Field label={t("Email")} type="email" autoComplete="email" autoFocus {...form.input("email")} />
    </Form>
  );
}
