import { gzipSync } from "node:zlib";
import type { Page, Response } from "playwright-core";

export interface PageLoad {
  /** Largest contentful paint in ms after the navigation start; null if there was none. */
  largestPaint: number | null;
  /** The HTML of that element, truncated. */
  largestElement: string | null;
  /** Cumulative layout shift: the worst session window. */
  layoutShift: number;
  /** The shifted elements, truncated. */
  shifts: string[];
  /** Durations of long tasks (over 50 ms), in ms. */
  longTasks: number[];
  /** Compressed bytes of the loaded document, scripts and styles. */
  codeBytes: number;
}

/** The largest cumulative layout shift of a page, half of what is called good (https://web.dev/articles/cls). */
export const MAX_LAYOUT_SHIFT = 0.05;
/** What is called good, for pages that load beside others: their parts arrive later, and in another order. */
const MAX_BUSY_SHIFT = 0.1;

interface SeenLoad extends Omit<PageLoad, "codeBytes"> {
  session: { sum: number; from: number; last: number };
}

/** Measures the loads of all documents that a page shows from now on. */
export async function observeLoads(page: Page): Promise<void> {
  await page.addInitScript(observePage);
}

/** The layout shifts since the page was loaded or since the last call, as a problem if they are too large. */
export async function shiftProblems(page: Page): Promise<string[]> {
  // Shifts are reported after the frame in which they happen.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  const { layoutShift, shifts } = await page.evaluate(() => {
    const seen: SeenLoad = Reflect.get(window, "pursePageLoad");
    const { layoutShift, shifts } = seen;
    Object.assign(seen, { layoutShift: 0, shifts: [], session: { sum: 0, from: 0, last: 0 } });
    return { layoutShift, shifts };
  });
  return layoutShift > MAX_BUSY_SHIFT ? [`layout shift ${layoutShift.toFixed(3)}: ${shifts.join("; ")}`] : [];
}

/** Opens a page without cache and measures until the network is idle. */
export async function loadPage(page: Page, url: string): Promise<PageLoad> {
  await observeLoads(page);
  const bodies: Promise<number>[] = [];
  const count = (response: Response): void => {
    if (!["document", "script", "stylesheet"].includes(response.request().resourceType())) return;
    bodies.push(response.body().then((body) => gzipSync(body, { level: 9 }).length));
  };
  page.on("response", count);
  await page.goto(url);
  await page.waitForLoadState("networkidle");
  // What the page loads later may end with it.
  page.off("response", count);
  // It is reported after the frame was presented.
  await page.waitForFunction(() => Reflect.get(window, "pursePageLoad").largestPaint !== null);
  const { session: _, ...seen }: SeenLoad = await page.evaluate(() => Reflect.get(window, "pursePageLoad"));
  const sizes = await Promise.all(bodies);
  return { ...seen, codeBytes: sizes.reduce((sum, each) => sum + each, 0) };
}

/** Runs in the page before its scripts. */
function observePage() {
  const seen: SeenLoad = {
    largestPaint: null,
    largestElement: null,
    layoutShift: 0,
    shifts: [],
    longTasks: [],
    // Shifts less than 1 s apart, within 5 s, form a session window; those after input are ignored.
    session: { sum: 0, from: 0, last: 0 },
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
  observe("layout-shift", (entry) => {
    if (Reflect.get(entry, "hadRecentInput") === true) return;
    const value = Number(Reflect.get(entry, "value"));
    const { sum, from, last } = seen.session;
    const isSameSession = entry.startTime - last < 1000 && entry.startTime - from < 5000;
    seen.session = {
      sum: isSameSession ? sum + value : value,
      from: isSameSession ? from : entry.startTime,
      last: entry.startTime,
    };
    seen.layoutShift = Math.max(seen.layoutShift, seen.session.sum);
    const sources: unknown = Reflect.get(entry, "sources");
    const elements = (Array.isArray(sources) ? sources : []).map(({ node, previousRect, currentRect }) => {
      const rectOf = ({ x, y, width, height }: DOMRect) => [x, y, width, height].map(Math.round).join();
      return `${outline(node)} from ${rectOf(previousRect)} to ${rectOf(currentRect)}`;
    });
    seen.shifts.push(`${value.toFixed(4)} ${elements.join(" ")}`);
  });
}
