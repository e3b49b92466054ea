import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";

export interface PageLoad {
  /** ms after the navigation began when the largest element was painted; null where none was. */
  largestPaint: number | null;
  /** What that element is, shortened. */
  largestElement: string | null;
  /** Cumulative layout shift, as the standard counts it: the worst window of shifts that belong together. */
  layoutShift: number;
  /** What moved, the elements shortened. */
  shifts: string[];
  /** ms of each task that kept the page from answering for more than 50 ms. */
  longTasks: number[];
  /** Compressed bytes of the document, scripts and styles that were asked for. */
  codeBytes: number;
}

/** Opens a page as a first visitor does and watches it until nothing is asked for any more. */
export async function loadPage(page: Page, url: string): Promise<PageLoad> {
  await page.addInitScript(observePage);
  const bodies: Promise<number>[] = [];
  page.on("response", (response) => {
    if (!["document", "script", "stylesheet"].includes(response.request().resourceType())) return;
    bodies.push(response.body().then((body) => gzipSync(body, { level: 9 }).length));
  });
  await page.goto(url);
  await page.waitForLoadState("networkidle");
  // It is told once the frame is on the screen, which may take a moment longer.
  await page.waitForFunction(() => Reflect.get(window, "pursePageLoad").largestPaint !== null);
  const seen: Omit<PageLoad, "codeBytes"> = await page.evaluate(() => Reflect.get(window, "pursePageLoad"));
  const sizes = await Promise.all(bodies);
  return { ...seen, codeBytes: sizes.reduce((sum, each) => sum + each, 0) };
}

/** Runs in the page, before anything of its own. */
function observePage() {
  const seen: Omit<PageLoad, "codeBytes"> = {
    largestPaint: null,
    largestElement: null,
    layoutShift: 0,
    shifts: [],
    longTasks: [],
  };
  Reflect.set(window, "pursePageLoad", seen);
  const outline = (node: unknown) => (node instanceof Element ? node.outerHTML.slice(0, 100) : "");
  const observe = (type: string, see: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({ type, buffered: true });
  observe("largest-contentful-paint", (entry) => {
    seen.largestPaint = entry.startTime;
    seen.largestElement = outline(Reflect.get(entry, "element"));
  });
  observe("longtask", (entry) => seen.longTasks.push(entry.duration));
  // Shifts less than a second apart, and within five, count together; those that follow input do not count.
  let session = { sum: 0, from: 0, last: 0 };
  observe("layout-shift", (entry) => {
    if (Reflect.get(entry, "hadRecentInput") === true) return;
    const value = Number(Reflect.get(entry, "value"));
    const { sum, from, last } = session;
    const isSameSession = entry.startTime - last < 1000 && entry.startTime - from < 5000;
    session = {
      sum: isSameSession ? sum + value : value,
      from: isSameSession ? from : entry.startTime,
      last: entry.startTime,
    };
    seen.layoutShift = Math.max(seen.layoutShift, session.sum);
    const sources: unknown = Reflect.get(entry, "sources");
    for (const source of Array.isArray(sources) ? sources : [])
      seen.shifts.push(`${value.toFixed(4)} ${outline(source.node)}`);
  });
}
