import type { StudioConsoleResponse } from "@purse/server/studio-api";
import { Code, formatBytes, formatDuration, Status, useTranslation } from "@purse/ui";
import { prettyJsonText } from "../../components/fields.ts";
import { Section } from "../../components/Page.tsx";

/** Longer bodies are not indented, in characters. */
const MAX_PRETTY_LENGTH = 500_000;

/** The response to a request of the console. */
export function ConsoleResult({ response }: { response: StudioConsoleResponse }) {
  const { t, language } = useTranslation();
  const { status, ms, bytes, headers, body } = response;
  const headerText = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
  return (
    <Section title={t("Response")}>
      <p className="row">
        <Status kind={status < 400 ? "ok" : "danger"}>
          {t("Status {status}", { status: String(status) })}
        </Status>
        <span className="number">{formatDuration(ms, language)}</span>
        <span className="number">{formatBytes(bytes, language)}</span>
      </p>
      <Code label={t("Body")} text={indented(body)} wrap />
      <details>
        <summary>{t("Headers")}</summary>
        <Code label={t("Headers")} text={headerText} wrap />
      </details>
    </Section>
  );
}

function indented(body: string): string {
  if (body.length > MAX_PRETTY_LENGTH) return body;
  return prettyJsonText(body);
}
