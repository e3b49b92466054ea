import {
  Button,
  EmptyState,
  ErrorState,
  Field,
  Select,
  SkeletonList,
  Status,
  useTranslation,
} from "@purse/ui";
import { Pause, Play } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { LogLines } from "../../components/LogLines.tsx";
import { Page } from "../../components/Page.tsx";
import { SearchTabs } from "../../components/SearchTabs.tsx";
import { SlowRequests } from "../../components/SlowRequests.tsx";
import { type LogTail, useLogTail } from "../../components/useLogTail.ts";
import { useSearchParam } from "../../components/useSearchParam.ts";

import { Requests } from "./Requests.tsx";

const LEVELS = ["debug", "info", "warn", "error"] as const;
type Level = (typeof LEVELS)[number];
const DEBOUNCE_MS = 300;
/** Shown when the stream is disconnected; it reconnects automatically. */
const UNREACHABLE_ERROR = { code: 100, message: "The server did not respond." };

/** Live log with filters in the URL, and slow requests. */
export function Logs() {
  const { t } = useTranslation();
  return (
    <Page
      title={t("Logs")}
      description={t("The last 2,000 log entries of this process, updated live. Secrets are redacted.")}
    >
      <SearchTabs
        label={t("Logs")}
        tabs={[
          { key: "lines", label: t("Entries"), content: () => <LogTailView /> },
          { key: "requests", label: t("Requests"), content: () => <Requests /> },
          { key: "slow", label: t("Slow requests"), content: () => <SlowRequests /> },
        ]}
      />
    </Page>
  );
}

function LogTailView() {
  const { t } = useTranslation();
  const [level, setLevel] = useSearchParam("level");
  const [text, setText] = useSearchParam("text");
  const [requestId, setRequestId] = useSearchParam("request");
  const filters = JSON.stringify({ level, text, requestId });
  const debounced = useDebounced(filters, DEBOUNCE_MS);
  const tail = useLogTail(JSON.parse(debounced));
  const [paused, setPaused] = useState<LogTail | undefined>(undefined);
  const { lines } = paused ?? tail;
  const newLineCount = paused
    ? tail.lines.filter(({ seq }) => seq > (paused.lines.at(-1)?.seq ?? 0)).length
    : 0;
  const chosen: Level = LEVELS.find((each) => each === level) ?? "debug";
  // Changing a filter ends the pause, since the paused entries belong to the previous filter.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the filters that ends the pause.
  useEffect(() => setPaused(undefined), [debounced]);
  const listFrame = useRef<HTMLDivElement>(null);
  useStickToBottom(listFrame, lines.length);
  return (
    <>
      <search className="filters">
        <Select
          label={t("Minimum level")}
          value={chosen}
          onChange={(to) => setLevel(to === "debug" ? "" : to)}
          options={LEVELS.map((key) => ({ key, label: key }))}
        />
        <div className="grow field-wide">
          <Field label={t("Search")} type="search" value={text} onText={setText} maxLength={500} />
        </div>
        <div className="field-wide">
          <Field label={t("Request")} type="search" value={requestId} onText={setRequestId} maxLength={200} />
        </div>
      </search>
      <div className="row spread">
        <div className="row">
          <TailStatus state={paused ? "paused" : tail.state} />
          <p className="soft small" role="status">
            {paused && newLineCount > 0
              ? t("{n, plural, one {# new entry since you paused} other {# new entries since you paused}}", {
                  n: newLineCount,
                })
              : t("{n, plural, one {# entry} other {# entries}}", { n: lines.length })}
          </p>
        </div>
        <Button small onClick={() => setPaused(paused ? undefined : tail)}>
          {paused ? <Play size={15} aria-hidden="true" /> : <Pause size={15} aria-hidden="true" />}
          {paused ? t("Resume") : t("Pause")}
        </Button>
      </div>
      {lines.length === 0 && tail.state === "connecting" ? (
        <SkeletonList label={t("Loading log…")} />
      ) : lines.length === 0 && tail.state === "broken" ? (
        <ErrorState error={UNREACHABLE_ERROR} retry={tail.reconnect} />
      ) : lines.length === 0 ? (
        text || requestId || level ? (
          <EmptyState title={t("No matching entries")}>
            {t("New matches appear here immediately.")}
          </EmptyState>
        ) : (
          <EmptyState title={t("No log entries yet")}>
            {t("Log entries appear here as they are written.")}
          </EmptyState>
        )
      ) : (
        <div ref={listFrame}>
          <LogLines lines={lines} label={t("Log entries")} onTrace={setRequestId} />
        </div>
      )}
    </>
  );
}

function TailStatus({ state }: { state: LogTail["state"] | "paused" }) {
  const { t } = useTranslation();
  if (state === "paused") return <Status kind="info">{t("Paused")}</Status>;
  if (state === "live") return <Status kind="ok">{t("Live")}</Status>;
  if (state === "connecting") return <Status kind="busy">{t("Connecting…")}</Status>;
  return <Status kind="warning">{t("Disconnected, reconnecting…")}</Status>;
}

/** A debounced value. */
function useDebounced(value: string, ms: number): string {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return debounced;
}

/** Scrolls to new entries unless the user has scrolled up. */
function useStickToBottom(frame: { current: HTMLDivElement | null }, length: number): void {
  const isAtEnd = useRef(true);
  const getList = useMemo(() => () => frame.current?.querySelector("ol"), [frame]);
  useEffect(() => {
    const found = getList();
    if (!found || length === 0) return undefined;
    if (isAtEnd.current) found.scrollTop = found.scrollHeight;
    const handleScroll = () => {
      isAtEnd.current = found.scrollHeight - found.scrollTop - found.clientHeight < 40;
    };
    found.addEventListener("scroll", handleScroll);
    return () => found.removeEventListener("scroll", handleScroll);
  }, [getList, length]);
}
