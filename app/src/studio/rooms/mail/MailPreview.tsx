import { fillMail, type MailTemplate, type MailValues } from "@purse/protocol";
import { useState } from "react";
import { Tabs } from "../../../design/Tabs.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import "./MailPreview.css";

type Form = "html" | "text";

/** A mail as it arrives, with values of nobody. HTML runs no scripts, opens nothing and loads nothing from elsewhere. */
export function MailPreview({ template, values }: { template: MailTemplate; values: MailValues }) {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState<Form>("html");
  const { subject, text, html } = fillMail(template, values);
  const form: Form = html === undefined ? "text" : wanted;
  return (
    <section className="mail-preview" aria-label={t("Preview")}>
      <header>
        <p className="soft small">{t("Preview, with values of nobody")}</p>
        <p>
          <strong>
            <bdi>{subject}</bdi>
          </strong>
        </p>
        <p className="soft small">{t("To {who}", { who: values.email ?? "" })}</p>
      </header>
      {html !== undefined && (
        <Tabs<Form>
          label={t("Preview")}
          value={form}
          onChange={setWanted}
          tabs={[
            { key: "html", label: "HTML" },
            { key: "text", label: t("Text") },
          ]}
        >
          {form === "html" ? (
            <iframe title={t("The mail as HTML")} sandbox="" srcDoc={html} className="mail-page" />
          ) : (
            <Letter text={text} />
          )}
        </Tabs>
      )}
      {html === undefined && <Letter text={text} />}
    </section>
  );
}

function Letter({ text }: { text: string }) {
  return <pre className="mail-text">{text}</pre>;
}
