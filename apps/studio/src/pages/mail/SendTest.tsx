import { Field, FormDialog, requiredText, useForm, useTranslation } from "@purse/ui";
import * as z from "zod/mini";
import { useStudioMutation } from "../../components/queries.ts";
import { useStudio } from "../../StudioContext.tsx";

export interface SendTestProps {
  path: string;
  /** Request body besides the address. */
  body?: object;
  onClose: () => void;
}

const RECIPIENT = z.object({ to: requiredText() });

/** Sends a test email to an address. */
export function SendTest({ path, body = {}, onClose }: SendTestProps) {
  const { t } = useTranslation();
  const studio = useStudio();
  const form = useForm(RECIPIENT, { to: "" });
  const send = useStudioMutation(
    (recipient: z.infer<typeof RECIPIENT>) => studio.post(path, { ...body, ...recipient }),
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
