import { Button, formatDuration, RelativeTime, Status, useTranslation } from "@purse/ui";
import { Section } from "../../components/Page.tsx";
import { type ConsoleRequest, type SentRequest, titleOf } from "./consoleRequest.ts";

export interface ConsoleHistoryProps {
  history: readonly SentRequest[];
  onReuse: (request: ConsoleRequest) => void;
}

/** Requests of this tab, to be sent again. */
export function ConsoleHistory({ history, onReuse }: ConsoleHistoryProps) {
  const { t, language } = useTranslation();
  if (history.length === 0) return null;
  return (
    <Section title={t("History")}>
      <ul className="list">
        {history.map(({ request, at, status, ms }) => (
          <li key={at} className="row spread">
            <span className="row">
              <Status kind={status < 400 ? "ok" : "danger"}>{String(status)}</Status>
              <code className="cut">{titleOf(request)}</code>
              <span className="number soft">{formatDuration(ms, language)}</span>
              <RelativeTime at={at} />
            </span>
            <Button small onClick={() => onReuse(request)}>
              {t("Use again")}
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
