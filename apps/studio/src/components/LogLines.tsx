import type { StudioLogLine } from "@purse/server/studio-api";
import { useTranslation } from "@purse/ui";

/** Log entries, oldest first. `onTrace` receives the request id of an entry. */
export function LogLines({
  lines,
  label,
  onTrace,
}: {
  lines: readonly StudioLogLine[];
  label: string;
  onTrace?: (requestId: string) => void;
}) {
  const { language, t } = useTranslation();
  const time = new Intl.DateTimeFormat(language, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <ol className="log" aria-label={label} tabIndex={0}>
      {lines.map(({ seq, time: at, level, message, fields: { requestId, ...fields } }) => (
        <li key={seq}>
          <time dateTime={at} title={at}>
            {time.format(new Date(at))}
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
