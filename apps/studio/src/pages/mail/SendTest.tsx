import { Field, useTranslation } from "@purse/ui";
import { useState } from "react";
import { FormDialog } from "../../components/FormDialog.tsx";
import { useStudioMutation } from "../../components/queries.ts";
import { useStudio } from "../../StudioContext.tsx";

export interface SendTestProps {
  path: string;
  /** Request body besides the address. */
  body?: object;
  onClose: () => void;
}

/** Sends a test email to an address. */
export function SendTest({ path, body = {}, onClose }: SendTestProps) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [to, setTo] = useState("");
  const send = useStudioMutation(() => studio.post(path, { ...body, to: to.trim() }), t("Test email sent"));
  return (
    <FormDialog
      onClose={onClose}
      title={t("Send test email")}
      description={t("Receiving the email confirms that the mail server accepts messages from this server.")}
      confirmLabel={t("Send")}
      mutation={send}
      disabled={to.trim() === ""}
    >
      <Field
        label={t("To")}
        type="email"
        value={to}
        onChange={(event) => setTo(event.target.value)}
        autoComplete="off"
        maxLength={300}
      />
    </FormDialog>
  );
}
