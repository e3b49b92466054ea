import { type MailTemplate, type MailValues, renderMail } from "@purse/protocol";
import { Tabs, useTranslation } from "@purse/ui";
import { useState } from "react";
import "./MailPreview.css";

type Format = "html" | "text";

/** Previews an email with sample data. The HTML is sandboxed: no scripts, popups or remote content. */
export function MailPreview({ template, values }: { template: MailTemplate; values: MailValues }) {
  const { t } = useTranslation();
  const [selectedFormat, setSelectedFormat] = useState<Format>("html");
  const { subject, text, html } = renderMail(template, values);
  const format: Format = html === undefined ? "text" : selectedFormat;
  return (
    <section className="mail-preview" aria-label={t("Preview")}>
      <header>
        <p className="soft small">{t("Preview with sample data")}</p>
        <p>
          <strong>
            <bdi>{subject}</bdi>
          </strong>
        </p>
        <p className="soft small">{t("To {who}", { who: values.email ?? "" })}</p>
      </header>
      {html !== undefined && (
        <Tabs<Format>
          label={t("Preview")}
          value={format}
          onChange={setSelectedFormat}
          tabs={[
            { key: "html", label: "HTML" },
            { key: "text", label: t("Text") },
          ]}
        >
          {format === "html" ? (
            <iframe title={t("Email as HTML")} sandbox="" srcDoc={html} className="mail-page" />
          ) : (
            <PlainText text={text} />
          )}
        </Tabs>
      )}
      {html === undefined && <PlainText text={text} />}
    </section>
  );
}

function PlainText({ text }: { text: string }) {
  return <pre className="mail-text">{text}</pre>;
}
