import type { StudioLiveEvent } from "@purse/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useStudio } from "../../StudioContext.tsx";
import { type RowPages, removeRow, replaceRow } from "./rowPages.ts";
import type { RowQuery } from "./useRowPages.ts";

/** How long after a refusal it is asked again. */
const RECONNECT_DELAY_MS = 2_000;
/** How long a row that has changed is marked. */
const FLASH_MS = 1_600;

/**
 * Follows the rows that are shown: those that change are changed in place, those that go are gone. New ones are
 * counted: they would move what somebody reads. As another user nothing is followed: events are what operators see. Neither
 * is what asks other classes.
 */
export function useLive(className: string, query: RowQuery, isLive: boolean) {
  const studio = useStudio();
  const queryClient = useQueryClient();
  const [newRowCount, setNewRowCount] = useState(0);
  const [flashing, setFlashing] = useState<ReadonlySet<string>>(new Set());
  const key = JSON.stringify(query);
  useEffect(() => {
    setNewRowCount(0);
    const { where, as, order }: RowQuery = JSON.parse(key);
    if (as !== undefined || !isLive) return undefined;
    const queryKey = [`/data/${className}`, { where, order, as }];
    const timers = new Set<ReturnType<typeof setTimeout>>();
    let isClosed = false;
    const url = studio.urlOf(`/data/${className}/live`, { where });

    function handleEvent({ event, object }: StudioLiveEvent): void {
      const id = String(object.objectId);
      if (event === "create" || event === "enter") {
        // One that was made here stands there already.
        const known = queryClient.getQueryData<RowPages>(queryKey)?.pages ?? [];
        const isLoaded = known.some(({ results }) => results.some(({ objectId }) => objectId === id));
        if (!isLoaded) setNewRowCount((before) => before + 1);
        return;
      }
      queryClient.setQueryData<RowPages>(
        queryKey,
        (pages) => pages && (event === "update" ? replaceRow(pages, object) : removeRow(pages, id)),
      );
      if (event !== "update") return;
      setFlashing((before) => new Set(before).add(id));
      schedule(FLASH_MS, () => setFlashing((before) => new Set([...before].filter((each) => each !== id))));
    }

    function schedule(ms: number, run: () => void): void {
      const timer = setTimeout(() => {
        timers.delete(timer);
        run();
      }, ms);
      timers.add(timer);
    }

    function connect(): EventSource {
      const opened = new EventSource(url);
      for (const name of ["create", "update", "enter", "leave", "delete"]) {
        opened.addEventListener(name, ({ data }: MessageEvent<string>) => handleEvent(JSON.parse(data)));
      }
      opened.addEventListener("refetch", () => setNewRowCount((before) => before + 1));
      opened.onerror = () => {
        if (opened.readyState === EventSource.CLOSED) void reconnect();
      };
      return opened;
    }

    let source = connect();
    // A stream is not told why it was refused. A request is: where the session is over, it waits for the next one.
    async function reconnect(): Promise<void> {
      await studio.get("/routes").catch(() => undefined);
      schedule(RECONNECT_DELAY_MS, () => {
        if (!isClosed) source = connect();
      });
    }
    return () => {
      isClosed = true;
      source.close();
      for (const timer of timers) clearTimeout(timer);
    };
  }, [className, key, isLive, studio, queryClient]);
  return { newRowCount, clearNewRows: () => setNewRowCount(0), flashing };
}
