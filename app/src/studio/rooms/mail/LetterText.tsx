import { Fragment, useState } from "react";
import { Code } from "../../../design/Code.tsx";
import { Tabs } from "../../../design/Tabs.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { letterOf, piecesOf } from "./letter.ts";
import "./MailPreview.css";

type Form = "text" | "html" | "source";

/** A mail of the outbox: its text with links that can be followed, its HTML, its source. */
export function LetterText({ source }: { source: string }) {
  const { t } = useTranslation();
  const { text, html } = letterOf(source);
  const [wanted, setForm] = useState<Form>(text === undefined ? "source" : "text");
  return (
    <Tabs<Form>
      label={t("The mail")}
      value={wanted}
      onChange={setForm}
      tabs={[
        ...(text === undefined ? [] : [{ key: "text" as const, label: t("Text") }]),
        ...(html === undefined ? [] : [{ key: "html" as const, label: "HTML" }]),
        { key: "source", label: t("Source") },
      ]}
    >
      {wanted === "text" && text !== undefined && (
        <p className="mail-text">
          {piecesOf(text).map((piece, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text that does not change.
            <Fragment key={at}>
              {piece.link ? (
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
      {wanted === "html" && html !== undefined && (
        <iframe title={t("The mail as HTML")} sandbox="" srcDoc={html} className="mail-page" />
      )}
      {wanted === "source" && <Code label={t("The mail")} text={source} wrap />}
    </Tabs>
  );
}
