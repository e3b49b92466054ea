import type { StudioMailTemplate } from "@purse/server/studio-api";
import { Field, FormDialog, requiredText, useForm, useTranslation } from "@purse/ui";
import * as z from "zod/mini";
import { useStudioMutation } from "../../components/useStudioQuery.ts";

export interface SendTestProps {
  /** The template to send instead of a plain test email. */
  template?: Pick<StudioMailTemplate, "name" | "template">;
  onClose: () => void;
}

const RECIPIENT = z.object({ to: requiredText() });

/** Sends a test email to an address. */
export function SendTest({ template, onClose }: SendTestProps) {
  const { t } = useTranslation();
  const form = useForm(RECIPIENT, { to: "" });
  const send = useStudioMutation(
    (studio, recipient: z.infer<typeof RECIPIENT>) =>
      template
        ? studio.post("/mail/templates/:name/test", { ...recipient, ...template })
        : studio.post("/mail/test", recipient),
    t("Test email sent"),
  );
  return (
    <FormDialog
      onClose={onClose}
      title={t("Send test email")}
      description={t("Receiving the email confirms that the mail server accepts messages from this server.")}
      confirmLabel={t("Send")}
      form={form}
      mutation={send}
    >
      <Field label={t("To")} type="email" {...form.input("to")} autoComplete="off" maxLength={300} />
    </FormDialog>
  );
}
