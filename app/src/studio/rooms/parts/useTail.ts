import type { StudioLogLine } from "@purse/protocol";
import { useCallback, useEffect, useState } from "react";
import type { Query } from "../../api.ts";
import { useStudio } from "../../StudioContext.tsx";

/** What is kept in the page. */
const MOST = 2_000;
/** How long after a refusal it is asked again. */
const AGAIN_MS = 1_000;

/** How long the stream may take to open, in ms. */
const OPENING_MS = 20_000;

export interface Tail {
  lines: readonly StudioLogLine[];
  /** It connects again by itself where it is broken. */
  state: "connecting" | "live" | "broken";
  /** Connects again at once. */
  again: () => void;
}

/** Follows what the log has, with filters as `/logs/tail` takes them; without any it follows nothing. */
export function useTail(filters: Query | undefined): Tail {
  const studio = useStudio();
  const url = filters && studio.urlOf("/logs/tail", filters);
  const [tail, setTail] = useState<Omit<Tail, "again">>({ lines: [], state: "connecting" });
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round connects again.
  useEffect(() => {
    if (url === undefined) return undefined;
    setTail({ lines: [], state: "connecting" });
    const become = (state: Tail["state"]) => setTail(({ lines }) => ({ lines, state }));
    let waiting: StudioLogLine[] = [];
    let frame = 0;
    let opening: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    // Many lines in a moment are one change of the page.
    const show = () => {
      frame = 0;
      const more = waiting;
      waiting = [];
      setTail(({ lines, state }) => ({ state, lines: withMore(lines, more) }));
    };
    const connect = () => {
      const opened = new EventSource(url);
      opened.addEventListener("line", ({ data }: MessageEvent<string>) => {
        waiting.push(JSON.parse(data));
        frame ||= requestAnimationFrame(show);
      });
      const broken = () => {
        clearTimeout(opening);
        become("broken");
        if (opened.readyState === EventSource.CLOSED) void connectAgain();
      };
      opening = setTimeout(() => {
        opened.close();
        broken();
      }, OPENING_MS);
      opened.onopen = () => {
        clearTimeout(opening);
        become("live");
      };
      opened.onerror = broken;
      return opened;
    };
    let source = connect();
    // A stream is not told why it was refused. A request is: where the session is over, it waits for the next one.
    async function connectAgain(): Promise<void> {
      await studio.get("/routes").catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      if (!isOver) source = connect();
    }
    return () => {
      isOver = true;
      source.close();
      clearTimeout(opening);
      cancelAnimationFrame(frame);
    };
  }, [url, studio, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  return { ...tail, again };
}

/** Each line once: after a break the server tells the last ones again. */
export function withMore(
  lines: readonly StudioLogLine[],
  more: readonly StudioLogLine[],
): readonly StudioLogLine[] {
  const last = lines.at(-1);
  // A server that began anew counts from one again.
  const isNewCount =
    last !== undefined && (more[0]?.seq ?? 0) <= last.seq && (more[0]?.time ?? "") > last.time;
  const fresh = last === undefined || isNewCount ? more : more.filter(({ seq }) => seq > last.seq);
  const kept = isNewCount ? lines.map((line) => ({ ...line, seq: line.seq - 1e9 })) : lines;
  return fresh.length === 0 ? kept : [...kept, ...fresh].slice(-MOST);
}
