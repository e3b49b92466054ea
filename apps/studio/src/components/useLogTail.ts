import type { StudioInput, StudioLogLine } from "@purse/server/studio-api";
import { useCallback, useEffect, useState } from "react";
import { useStudio } from "../StudioContext.tsx";

/** Entries kept in memory. */
const MAX_LINES = 2_000;
/** Delay before reconnecting after an error, in ms. */
const RECONNECT_DELAY_MS = 1_000;

/** Timeout for opening the stream, in ms. */
const OPEN_TIMEOUT_MS = 20_000;

export interface LogTail {
  lines: readonly StudioLogLine[];
  /** "broken" reconnects automatically. */
  state: "connecting" | "live" | "broken";
  /** Reconnects immediately. */
  reconnect: () => void;
}

/** Streams log entries that match the filters of `/logs/tail`; undefined filters stream nothing. */
export function useLogTail(filters: StudioInput<"GET", "/logs/tail"> | undefined): LogTail {
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
    // Batches entries into one render per frame.
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
    // EventSource hides the status of an error. A request reveals an expired session and waits for the next sign-in.
    async function reconnectAfterError(): Promise<void> {
      await studio.get("/routes", {}).catch(() => undefined);
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

/** Appends entries without duplicates: after a reconnect the server repeats the latest ones. */
export function appendLines(
  lines: readonly StudioLogLine[],
  newLines: readonly StudioLogLine[],
): readonly StudioLogLine[] {
  const last = lines.at(-1);
  // The sequence restarts at 1 when the server restarts.
  const hasRestarted =
    last !== undefined && (newLines[0]?.seq ?? 0) <= last.seq && (newLines[0]?.time ?? "") > last.time;
  const fresh = last === undefined || hasRestarted ? newLines : newLines.filter(({ seq }) => seq > last.seq);
  const renumbered = hasRestarted ? lines.map((line) => ({ ...line, seq: line.seq - 1e9 })) : lines;
  return fresh.length === 0 ? renumbered : [...renumbered, ...fresh].slice(-MAX_LINES);
}
