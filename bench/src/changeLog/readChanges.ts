import type { Store } from "@purse/server";
import { LEASE_MS } from "./measuredClass.ts";

/**
 * Reads the changes of a class as a process with a subscriber does, and calls back with the id of each. Returns a
 * function that stops it.
 */
export async function readChanges(
  { changeLog, subscribe }: Store,
  className: string,
  onChange: (objectId: string) => void,
): Promise<() => void> {
  if (!changeLog) throw new Error("the store has no change log");
  let position = await changeLog.subscribe(className, Date.now() + LEASE_MS);
  let isReading = false;
  let hasMore = false;
  async function read(): Promise<void> {
    hasMore = true;
    if (isReading || !changeLog) return;
    isReading = true;
    while (hasMore) {
      hasMore = false;
      const page = await changeLog.read(position, [className], 500);
      for (const { objectId } of page.changes) onChange(objectId);
      if (page.position) position = { epoch: position.epoch, ...page.position };
      if (page.finished < page.assigned) setTimeout(() => void read(), 5);
      if (page.hasMore) hasMore = true;
    }
    isReading = false;
  }
  const stop = subscribe(() => void read());
  const timer = setInterval(() => void read(), 250);
  return () => {
    clearInterval(timer);
    stop();
  };
}
