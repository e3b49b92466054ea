import { useMoralis } from "@purse/react";
import {
  Button,
  Field,
  Form,
  Notice,
  requiredText,
  useAction,
  useForm,
  useToast,
  useTranslation,
} from "@purse/ui";
import * as z from "zod/mini";

const MESSAGE = "Enter your account's email address.";
const ACCOUNT = z.object({ email: requiredText(MESSAGE).check(z.regex(/^\S+@\S+$/, MESSAGE)) });

export interface ConfirmEmailProps {
  /** The address that has to be confirmed; empty if only the server knows it. */
  email: string;
  onBack: () => void;
}

/** Asks users to confirm their email address before they log in, and resends the email on request. */
export function ConfirmEmail({ email, onBack }: ConfirmEmailProps) {
  const { t } = useTranslation();
  const { Moralis } = useMoralis();
  const toast = useToast();
  const form = useForm(ACCOUNT, { email });
  const { run, busy, error } = useAction(async (account: z.infer<typeof ACCOUNT>) => {
    await Moralis.User.requestEmailVerification(account.email);
    toast(t("Verification email sent"));
  });
  return (
    <div className="stack">
      <div role="status">
        <Notice kind="info" title={t("Confirm your email address")}>
          {t("Open the link in the email that we've sent you. Then log in.")}
        </Notice>
      </div>
      <Form
        form={form}
        onSubmit={run}
        submitLabel={t("Resend verification email")}
        isNarrow
        {...{ busy, error }}
        label={t("Confirm your email address")}
        buttons={
          <Button variant="quiet" onClick={onBack}>
            {t("Back to login")}
          </Button>
        }
      >
        <Field label={t("Email")} type="email" autoComplete="email" {...form.input("email")} />
      </Form>
    </div>
  );
}

/** Whether a sign-in error means that the email address has to be confirmed first. */
export function needsConfirmedEmail(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === UNVERIFIED_EMAIL_CODE;
}

const UNVERIFIED_EMAIL_CODE = 205;
