import {
  Code,
  Field,
  Form,
  PasswordField,
  requiredText,
  secret,
  useAction,
  useForm,
  useTranslation,
} from "@purse/ui";
import * as z from "zod/mini";
import { router } from "../router.tsx";
import { useStudio } from "../StudioContext.tsx";

const MIN_PASSWORD_LENGTH = 12;

const FIRST_OPERATOR = z.object({
  code: requiredText("Enter the setup code."),
  username: requiredText("Enter a username."),
  password: secret("Enter a password."),
});

/** Creates the first operator with the setup code from the server log. */
export function SetUp() {
  const { t } = useTranslation();
  const studio = useStudio();
  const form = useForm(FIRST_OPERATOR, { code: codeFromUrl(), username: "", password: "" });
  const { run, busy, error } = useAction(async (operator: z.infer<typeof FIRST_OPERATOR>) => {
    await studio.setUp(operator);
    // The code is used, so it is removed from the URL, which the router knows since it was created.
    await router.navigate({ to: "/", hash: "", replace: true });
  });
  return (
    <>
      <h1>{t("Set up the studio")}</h1>
      <p className="soft">
        {t("This server has no operators yet. The first operator is an owner and can add others.")}
      </p>
      <Form
        form={form}
        onSubmit={run}
        submitLabel={t("Create first operator")}
        variant="primary"
        isNarrow
        {...{ busy, error }}
      >
        <Field
          label={t("Setup code")}
          hint={t("Printed in the server log on every start. Valid for 24 hours.")}
          {...form.input("code")}
          isCode
        />
        <Field label={t("Username")} {...form.input("username")} isCode autoComplete="username" />
        <PasswordField
          label={t("Password")}
          hint={t("At least {n, number} characters", { n: MIN_PASSWORD_LENGTH })}
          {...form.input("password")}
          autoComplete="new-password"
        />
      </Form>
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
