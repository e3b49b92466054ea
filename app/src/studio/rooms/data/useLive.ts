import type { StudioLiveEvent } from "@purse/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useStudio } from "../../StudioContext.tsx";
import { type Pages, withoutRow, withRow } from "./pages.ts";
import type { Asked } from "./usePages.ts";

/** How long after a refusal it is asked again. */
const AGAIN_MS = 2_000;
/** How long a row that has changed is marked. */
const FLASH_MS = 1_600;

/**
 * Follows the rows that are shown: those that change are changed in place, those that go are gone. New ones are
 * counted: they would move what somebody reads. As another user nothing is followed: events are what operators see. Neither
 * is what asks other classes.
 */
export function useLive(className: string, asked: Asked, isFollowed: boolean) {
  const studio = useStudio();
  const queries = useQueryClient();
  const [news, setNews] = useState(0);
  const [flashing, setFlashing] = useState<ReadonlySet<string>>(new Set());
  const key = JSON.stringify(asked);
  useEffect(() => {
    setNews(0);
    const { where, as, order }: Asked = JSON.parse(key);
    if (as !== undefined || !isFollowed) return undefined;
    const queryKey = [`/data/${className}`, { where, order, as }];
    const timers = new Set<ReturnType<typeof setTimeout>>();
    let isOver = false;
    const url = studio.urlOf(`/data/${className}/live`, { where });

    function tell({ event, object }: StudioLiveEvent): void {
      const id = String(object.objectId);
      if (event === "create" || event === "enter") {
        // One that was made here stands there already.
        const known = queries.getQueryData<Pages>(queryKey)?.pages ?? [];
        const isThere = known.some(({ results }) => results.some(({ objectId }) => objectId === id));
        if (!isThere) setNews((before) => before + 1);
        return;
      }
      queries.setQueryData<Pages>(
        queryKey,
        (pages) => pages && (event === "update" ? withRow(pages, object) : withoutRow(pages, id)),
      );
      if (event !== "update") return;
      setFlashing((before) => new Set(before).add(id));
      later(FLASH_MS, () => setFlashing((before) => new Set([...before].filter((each) => each !== id))));
    }

    function later(ms: number, run: () => void): void {
      const timer = setTimeout(() => {
        timers.delete(timer);
        run();
      }, ms);
      timers.add(timer);
    }

    function connect(): EventSource {
      const opened = new EventSource(url);
      for (const name of ["create", "update", "enter", "leave", "delete"]) {
        opened.addEventListener(name, ({ data }: MessageEvent<string>) => tell(JSON.parse(data)));
      }
      opened.addEventListener("refetch", () => setNews((before) => before + 1));
      opened.onerror = () => {
        if (opened.readyState === EventSource.CLOSED) void connectAgain();
      };
      return opened;
    }

    let source = connect();
    // A stream is not told why it was refused. A request is: where the session is over, it waits for the next one.
    async function connectAgain(): Promise<void> {
      await studio.get("/routes").catch(() => undefined);
      later(AGAIN_MS, () => {
        if (!isOver) source = connect();
      });
    }
    return () => {
      isOver = true;
      source.close();
      for (const timer of timers) clearTimeout(timer);
    };
  }, [className, key, isFollowed, studio, queries]);
  return { news, forgetNews: () => setNews(0), flashing };
}
