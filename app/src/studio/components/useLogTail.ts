import type { StudioLogLine } from "@purse/protocol";
import { useCallback, useEffect, useState } from "react";
import type { Query } from "../api.ts";
import { useStudio } from "../StudioContext.tsx";

/** What is kept in the page. */
const MAX_LINES = 2_000;
/** How long after a refusal it is asked again. */
const RECONNECT_DELAY_MS = 1_000;

/** How long the stream may take to open, in ms. */
const OPEN_TIMEOUT_MS = 20_000;

export interface LogTail {
  lines: readonly StudioLogLine[];
  /** It connects again by itself where it is broken. */
  state: "connecting" | "live" | "broken";
  /** Connects again at once. */
  reconnect: () => void;
}

/** Follows what the log has, with filters as `/logs/tail` takes them; without any it follows nothing. */
export function useLogTail(filters: Query | undefined): LogTail {
  const studio = useStudio();
  const url = filters && studio.urlOf("/logs/tail", filters);
  const [tail, setTail] = useState<Omit<LogTail, "reconnect">>({ lines: [], state: "connecting" });
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round connects again.
  useEffect(() => {
    if (url === undefined) return undefined;
    setTail({ lines: [], state: "connecting" });
    const setConnectionState = (state: LogTail["state"]) => setTail(({ lines }) => ({ lines, state }));
    let pending: StudioLogLine[] = [];
    let frame = 0;
    let openTimeout: ReturnType<typeof setTimeout> | undefined;
    let isClosed = false;
    // Many lines in a moment are one change of the page.
    const show = () => {
      frame = 0;
      const newLines = pending;
      pending = [];
      setTail(({ lines, state }) => ({ state, lines: appendLines(lines, newLines) }));
    };
    const connect = () => {
      const opened = new EventSource(url);
      opened.addEventListener("line", ({ data }: MessageEvent<string>) => {
        pending.push(JSON.parse(data));
        frame ||= requestAnimationFrame(show);
      });
      const handleError = () => {
        clearTimeout(openTimeout);
        setConnectionState("broken");
        if (opened.readyState === EventSource.CLOSED) void reconnectAfterError();
      };
      openTimeout = setTimeout(() => {
        opened.close();
        handleError();
      }, OPEN_TIMEOUT_MS);
      opened.onopen = () => {
        clearTimeout(openTimeout);
        setConnectionState("live");
      };
      opened.onerror = handleError;
      return opened;
    };
    let source = connect();
    // A stream is not told why it was refused. A request is: where the session is over, it waits for the next one.
    async function reconnectAfterError(): Promise<void> {
      await studio.get("/routes").catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_DELAY_MS));
      if (!isClosed) source = connect();
    }
    return () => {
      isClosed = true;
      source.close();
      clearTimeout(openTimeout);
      cancelAnimationFrame(frame);
    };
  }, [url, studio, attempt]);
  const reconnect = useCallback(() => setAttempt((before) => before + 1), []);
  return { ...tail, reconnect };
}

/** Each line once: after a break the server tells the last ones again. */
export function appendLines(
  lines: readonly StudioLogLine[],
  newLines: readonly StudioLogLine[],
): readonly StudioLogLine[] {
  const last = lines.at(-1);
  // A server that began anew counts from one again.
  const hasRestarted =
    last !== undefined && (newLines[0]?.seq ?? 0) <= last.seq && (newLines[0]?.time ?? "") > last.time;
  const fresh = last === undefined || hasRestarted ? newLines : newLines.filter(({ seq }) => seq > last.seq);
  const renumbered = hasRestarted ? lines.map((line) => ({ ...line, seq: line.seq - 1e9 })) : lines;
  return fresh.length === 0 ? renumbered : [...renumbered, ...fresh].slice(-MAX_LINES);
}
