import { useState } from "react";
import { Field } from "../../../design/Field.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useChange } from "../parts/asking.ts";

export interface SendTestProps {
  path: string;
  /** What is sent, beside the address. */
  body?: object;
  onClose: () => void;
}

/** Asks for an address and sends a mail to it. */
export function SendTest({ path, body = {}, onClose }: SendTestProps) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [to, setTo] = useState("");
  const send = useChange(
    () => studio.post(path, { ...body, to: to.trim() }),
    t("The test mail is on its way."),
  );
  return (
    <Ask
      open
      onClose={onClose}
      title={t("Send a test mail")}
      about={t("A mail that you get shows that the mail server takes what this server sends.")}
      verb={t("Send")}
      busy={send.isPending}
      error={send.error}
      disabled={to.trim() === ""}
      onDo={() => send.mutate(undefined, { onSuccess: onClose })}
    >
      <Field
        label={t("To")}
        type="email"
        value={to}
        onChange={(event) => setTo(event.target.value)}
        autoComplete="off"
        maxLength={300}
      />
    </Ask>
  );
}
