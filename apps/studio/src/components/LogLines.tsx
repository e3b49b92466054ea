import type { StudioLogLine } from "@purse/server/studio-api";
import { formatDate, useTranslation } from "@purse/ui";

export interface LogLinesProps {
  lines: readonly StudioLogLine[];
  label: string;
  onTrace?: (requestId: string) => void;
}

/** Log entries, oldest first. `onTrace` receives the request id of an entry. */
export function LogLines({ lines, label, onTrace }: LogLinesProps) {
  const { language, t } = useTranslation();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <ol className="log" aria-label={label} tabIndex={0}>
      {lines.map(({ seq, time: at, level, message, fields: { requestId, ...fields } }) => (
        <li key={seq}>
          <time dateTime={at} title={formatDate(at, language, "full")}>
            {formatDate(at, language, "clock")}
          </time>
          <span className="level" data-level={level}>
            {level}
          </span>
          <span className="log-text">
            <bdi>{message}</bdi> {Object.keys(fields).length > 0 && <span>{JSON.stringify(fields)} </span>}
            {typeof requestId === "string" &&
              (onTrace ? (
                <button
                  type="button"
                  onClick={() => onTrace(requestId)}
                  title={t("Show all log entries of this request")}
                >
                  {requestId}
                </button>
              ) : (
                <span>{requestId}</span>
              ))}
          </span>
        </li>
      ))}
    </ol>
  );
}
