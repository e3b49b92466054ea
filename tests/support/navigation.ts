import type { Page, Request } from "playwright-core";
import { expect } from "vitest";

const TIMEOUT_MS = 40_000;
const INTERVAL_MS = 100;
/** Marks the heading of the page that is left. */
const LEFT = "data-left";

/** Goes to another page of the app as its links do: the app is not loaded anew. */
export async function follow(page: Page, url: string): Promise<void> {
  await page.evaluate(
    ([to, left]) => {
      for (const heading of document.querySelectorAll("h1")) heading.setAttribute(left, "");
      window.history.pushState({}, "", to);
    },
    [url, LEFT] as const,
  );
  await page.locator(`h1[${LEFT}]`).waitFor({ state: "detached" });
}

/** Waits until a page has rendered what it has received: code that has arrived may not have run yet. */
export async function rendered(page: Page): Promise<void> {
  const loading = page.locator("div[aria-busy=true]");
  await expect.poll(() => loading.count(), { interval: INTERVAL_MS, timeout: TIMEOUT_MS }).toBe(0);
  await page.evaluate(
    () => new Promise<void>((done) => requestIdleCallback(() => requestAnimationFrame(() => done()))),
  );
}

export interface WatchedRequests {
  /** Waits until none is pending, and none has begun since the last look. */
  settled(): Promise<void>;
  /** Ignores those that are pending. */
  forget(): void;
  stop(): void;
}

/** Watches the requests of a page, other than streams, which do not end. */
export function watchRequests(
  page: Page,
  isWatched: (request: Request) => boolean = () => true,
): WatchedRequests {
  const pending = new Set<Request>();
  let count = 0;
  const begin = (request: Request) => {
    if (request.resourceType() === "eventsource" || !isWatched(request)) return;
    count += 1;
    pending.add(request);
  };
  const end = (request: Request) => void pending.delete(request);
  page.on("request", begin).on("requestfinished", end).on("requestfailed", end);
  return {
    async settled() {
      let before = -1;
      const isQuiet = () => {
        const isSame = count === before;
        before = count;
        return isSame && pending.size === 0;
      };
      await expect.poll(isQuiet, { interval: INTERVAL_MS, timeout: TIMEOUT_MS }).toBe(true);
    },
    forget: () => pending.clear(),
    stop: () => void page.off("request", begin).off("requestfinished", end).off("requestfailed", end),
  };
}
