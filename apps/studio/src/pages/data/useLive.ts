import type { StudioLiveEvent } from "@purse/server/studio-api";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useStudio } from "../../StudioContext.tsx";
import { type RowPages, removeRow, replaceRow } from "./rowPages.ts";
import { type RowQuery, rowsKey } from "./useRowPages.ts";

/** Delay before reconnecting after an error, in ms. */
const RECONNECT_DELAY_MS = 2_000;
/** Duration of the highlight of an updated row, in ms. */
const FLASH_MS = 1_600;

/**
 * Applies live updates to the loaded rows: updates and deletions in place. New rows are only counted, since inserting them
 * would move what the user reads. Disabled when viewing as another user and for filters on other classes.
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
    const queryKey = rowsKey(className, { where, order, as });
    const timers = new Set<ReturnType<typeof setTimeout>>();
    let isClosed = false;
    let wasConnected = false;
    const url = studio.urlOf("/data/:className/live", { className, where });

    function handleEvent({ event, object }: StudioLiveEvent): void {
      const id = String(object.objectId);
      if (event === "create" || event === "enter") {
        // Rows created here are already loaded.
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

    function offerRefresh(): void {
      setNewRowCount((before) => before + 1);
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
      opened.addEventListener("refetch", offerRefresh);
      // Changes between two connections were missed.
      opened.addEventListener("connected", () => {
        if (wasConnected) offerRefresh();
        wasConnected = true;
      });
      opened.onerror = () => {
        if (opened.readyState === EventSource.CLOSED) void reconnect();
      };
      return opened;
    }

    let source = connect();
    // EventSource hides the status of an error. A request reveals an expired session and waits for the next sign-in.
    async function reconnect(): Promise<void> {
      await studio.get("/routes", {}).catch(() => undefined);
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
