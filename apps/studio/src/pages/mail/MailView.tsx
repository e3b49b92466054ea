import { Code, Tabs, useTranslation } from "@purse/ui";
import { Fragment, useState } from "react";
import { parseMail, splitLinks } from "./parseMail.ts";
import "./MailPreview.css";

type Format = "text" | "html" | "source";

/** An email of the outbox as text with links, HTML or source. */
export function MailView({ source }: { source: string }) {
  const { t } = useTranslation();
  const { text, html } = parseMail(source);
  const [format, setFormat] = useState<Format>(text === undefined ? "source" : "text");
  return (
    <Tabs<Format>
      label={t("Email")}
      value={format}
      onChange={setFormat}
      tabs={[
        ...(text === undefined ? [] : [{ key: "text" as const, label: t("Text") }]),
        ...(html === undefined ? [] : [{ key: "html" as const, label: "HTML" }]),
        { key: "source", label: t("Source") },
      ]}
    >
      {format === "text" && text !== undefined && (
        <p className="mail-text">
          {splitLinks(text).map((piece, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text that does not change.
            <Fragment key={at}>
              {piece.isLink ? (
                <a href={piece.text} target="_blank" rel="noreferrer">
                  {piece.text}
                </a>
              ) : (
                piece.text
              )}
            </Fragment>
          ))}
        </p>
      )}
      {format === "html" && html !== undefined && (
        <iframe title={t("Email as HTML")} sandbox="" srcDoc={html} className="mail-page" />
      )}
      {format === "source" && <Code label={t("Email")} text={source} wrap />}
    </Tabs>
  );
}
