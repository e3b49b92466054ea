import { Passkeys } from "@purse/client";
import {
  Button,
  Field,
  Form,
  optionalText,
  PasswordField,
  requiredText,
  secret,
  useAction,
  useForm,
  useTranslation,
} from "@purse/ui";
import { useState } from "react";
import * as z from "zod/mini";
import { StudioRequestError } from "../api.ts";
import { useStudio } from "../StudioContext.tsx";
import { proveFactor, provePasskey } from "./passkeyProof.ts";

const CREDENTIALS = z.object({
  username: requiredText("Enter a username."),
  password: secret("Enter a password."),
  code: optionalText,
});

/** Signs in with username and password, then the second factor if enabled. */
export function SignIn({ username }: { username?: string }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const form = useForm(CREDENTIALS, { username: username ?? "", password: "", code: "" });
  const [needsCode, setNeedsCode] = useState(false);
  const { run, busy, error } = useAction(async ({ code, ...rest }: z.infer<typeof CREDENTIALS>) => {
    try {
      await studio.signIn({ ...rest, ...(needsCode && (await proveFactor(studio, code))) });
    } catch (failure) {
      if (needsCode || !(failure instanceof StudioRequestError && failure.secondFactor)) throw failure;
      setNeedsCode(true);
    }
  });
  const passkey = useAction(async () => studio.signInWithPasskey(await provePasskey(studio, "login")));
  const failure = error instanceof StudioRequestError ? error : undefined;
  const isWrongCode = needsCode && failure !== undefined && failure.status < 429 && failure.code !== 101;
  const isWrong = failure?.status === 401 && !isWrongCode;
  const problem = isWrong ? { problem: t("Incorrect username or password") } : {};
  return (
    <Form
      form={form}
      onSubmit={run}
      submitLabel={t("Sign in")}
      variant="primary"
      isNarrow
      busy={busy}
      error={isWrong || isWrongCode ? passkey.error : (error ?? passkey.error)}
      buttons={
        Passkeys.isSupported() && (
          <Button busy={passkey.busy} onClick={() => passkey.run()}>
            {t("Use a passkey")}
          </Button>
        )
      }
    >
      <Field
        label={t("Username")}
        {...form.input("username")}
        isCode
        autoComplete="username"
        readOnly={username !== undefined}
      />
      <PasswordField
        label={t("Password")}
        {...form.input("password")}
        {...problem}
        autoComplete="current-password"
      />
      {needsCode && (
        <Field
          label={t("Code")}
          hint={t("Authenticator code or recovery code. Leave empty to use a passkey that you have.")}
          {...form.input("code")}
          // Appears when the password was right.
          autoFocus
          autoComplete="one-time-code"
          {...(isWrongCode && { problem: t("Invalid or expired code") })}
        />
      )}
    </Form>
  );
}
