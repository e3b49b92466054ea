import { Pause, Play } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Select } from "../../../design/Choice.tsx";
import { Field } from "../../../design/Field.tsx";
import { Status } from "../../../design/Status.tsx";
import { EmptyState, ErrorState, SkeletonList } from "../../../design/states.tsx";
import { Tabs } from "../../../design/Tabs.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { LogLines } from "../parts/LogLines.tsx";
import { Room } from "../parts/Room.tsx";
import { SlowRequests } from "../parts/SlowRequests.tsx";
import { type Tail, useTail } from "../parts/useTail.ts";
import { useUrl } from "../parts/useUrl.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;
type Level = (typeof LEVELS)[number];
const TYPING_MS = 300;
/** As requests of the studio fail. The stream connects again by itself. */
const UNREACHED = { code: 100, message: "The server did not answer." };

type Tab = "lines" | "slow";

/** The log as it is written, with its filters in the address; what took long. */
export function Logs() {
  const { t } = useTranslation();
  const [shown, setShown] = useUrl("show");
  const tab: Tab = shown === "slow" ? "slow" : "lines";
  return (
    <Room
      title={t("Logs")}
      about={t("The last 2,000 lines of this process, without secrets, and each new one as it is written.")}
    >
      <Tabs<Tab>
        label={t("Logs")}
        value={tab}
        onChange={(to) => setShown(to === "lines" ? "" : to)}
        tabs={[
          { key: "lines", label: t("Lines") },
          { key: "slow", label: t("Slow requests") },
        ]}
      >
        {tab === "slow" ? <SlowRequests /> : <Lines />}
      </Tabs>
    </Room>
  );
}

function Lines() {
  const { t, count } = useTranslation();
  const [level, setLevel] = useUrl("level");
  const [text, setText] = useUrl("text");
  const [requestId, setRequestId] = useUrl("request");
  const filters = JSON.stringify({ level, text, requestId });
  const settled = useSettled(filters, TYPING_MS);
  const tail = useTail(JSON.parse(settled));
  const [held, setHeld] = useState<Tail | undefined>(undefined);
  const { lines } = held ?? tail;
  const missed = held ? tail.lines.filter(({ seq }) => seq > (held.lines.at(-1)?.seq ?? 0)).length : 0;
  const chosen: Level = LEVELS.find((each) => each === level) ?? "debug";
  // A filter that changes shows what it finds: what is held belongs to the one before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the filters that ends the pause.
  useEffect(() => setHeld(undefined), [settled]);
  const end = useRef<HTMLDivElement>(null);
  useFollow(end, lines.length);
  return (
    <>
      <search className="filters">
        <Select
          label={t("Level, at least")}
          value={chosen}
          onChange={(to) => setLevel(to === "debug" ? "" : to)}
          options={LEVELS.map((key) => ({ key, label: key }))}
        />
        <div className="grow field-wide">
          <Field
            label={t("Text in the line")}
            type="search"
            value={text}
            onChange={(event) => setText(event.target.value)}
            maxLength={500}
          />
        </div>
        <div className="field-wide">
          <Field
            label={t("Request")}
            type="search"
            value={requestId}
            onChange={(event) => setRequestId(event.target.value)}
            maxLength={200}
          />
        </div>
      </search>
      <div className="row spread">
        <div className="row">
          <State state={held ? "held" : tail.state} />
          <p className="soft small" role="status">
            {held && missed > 0
              ? count(missed, "{n} new line since you paused", "{n} new lines since you paused")
              : count(lines.length, "{n} line", "{n} lines")}
          </p>
        </div>
        <Button small onClick={() => setHeld(held ? undefined : tail)}>
          {held ? <Play size={15} aria-hidden="true" /> : <Pause size={15} aria-hidden="true" />}
          {held ? t("Go on") : t("Pause")}
        </Button>
      </div>
      {lines.length === 0 && tail.state === "connecting" ? (
        <SkeletonList label={t("Loading the log")} />
      ) : lines.length === 0 && tail.state === "broken" ? (
        <ErrorState error={UNREACHED} retry={tail.again} />
      ) : lines.length === 0 ? (
        <EmptyState title={t("No line yet")}>
          {text || requestId || level
            ? t("No line fulfils the filters. New ones that do show here at once.")
            : t("Lines show here as they are written.")}
        </EmptyState>
      ) : (
        <div ref={end}>
          <LogLines lines={lines} label={t("Lines of the log")} onTrace={setRequestId} />
        </div>
      )}
    </>
  );
}

function State({ state }: { state: Tail["state"] | "held" }) {
  const { t } = useTranslation();
  if (state === "held") return <Status kind="info">{t("Paused")}</Status>;
  if (state === "live") return <Status kind="ok">{t("Live")}</Status>;
  if (state === "connecting") return <Status kind="busy">{t("Connecting")}</Status>;
  return <Status kind="warning">{t("Interrupted, connecting again")}</Status>;
}

/** A value when it has not changed for a while. */
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** Keeps the end in sight as lines come, unless somebody has scrolled up to read. */
function useFollow(frame: { current: HTMLDivElement | null }, length: number): void {
  const isAtEnd = useRef(true);
  const list = useMemo(() => () => frame.current?.querySelector("ol"), [frame]);
  useEffect(() => {
    const found = list();
    if (!found || length === 0) return undefined;
    if (isAtEnd.current) found.scrollTop = found.scrollHeight;
    const scrolled = () => {
      isAtEnd.current = found.scrollHeight - found.scrollTop - found.clientHeight < 40;
    };
    found.addEventListener("scroll", scrolled);
    return () => found.removeEventListener("scroll", scrolled);
  }, [list, length]);
}
