/*
 * Measures the admin dashboard's data grid in Chromium: 100,000 rows of 200 columns, each with a value, scrolled both
 * ways and operated by keyboard. Writes docs/internals/benchmarks/grid.md.
 *   npm run bench:grid -- [--rows 100000] [--seconds 8]
 */
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { JsonValue } from "@purse/protocol";
import type { Page } from "playwright-core";
import { root } from "../../scripts/install.mjs";
import { launchBrowser, visitUncached } from "../../tests/support/browser.ts";
import { fillLarge, LARGE_FIELDS, largeField } from "../../tests/support/largeClass.ts";
import { startPurse } from "../../tests/support/purse.ts";
import { setUpStudio, signInToStudio } from "../../tests/support/studio.ts";
import { provenance } from "./provenance.ts";
import { quantile } from "./quantile.ts";

const { values } = parseArgs({
  options: { rows: { type: "string", default: "100000" }, seconds: { type: "string", default: "8" } },
});
const ROWS = Number(values.rows);
const MS = Number(values.seconds) * 1_000;

interface Frames {
  name: string;
  frames: number;
  /** Frames over 16 ms and over 50 ms. */
  over16: number;
  over50: number;
  p95: number;
  worst: number;
  /** CPU time of the page's main thread, independent of other load. */
  cpuMs: number;
}

const purse = await startPurse();
const browser = await launchBrowser();
try {
  const startedAt = performance.now();
  await fillLarge(purse, ROWS, fullRow);
  const filledMs = performance.now() - startedAt;
  await setUpStudio(purse);
  const { page, close } = await visitUncached(browser);
  await signInToStudio(page, purse, "ada");
  const first = await firstPage(page);
  const grid = page.getByRole("grid");
  await page
    .getByText(/\d.* rows/)
    .first()
    .waitFor();
  const box = await grid.boundingBox();
  if (!box) throw new Error("The grid is not in sight");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const scrolls = [
    await measureScroll(page, "nothing (baseline of the machine)", 0, 0),
    await measureScroll(page, "down, 500 px at a time", 0, 500),
    await measureScroll(page, "right, 300 px at a time", 300, 0),
    await measureScroll(page, "both ways at once", -150, 300),
  ];
  const loaded = await loadedRows(page);
  const keys = await measureKeys(page);
  await close();
  report({ filledMs, first, scrolls, loaded, keys });
} finally {
  await browser.close();
  await purse.remove();
}

function fullRow(n: number): Record<string, JsonValue> {
  const object: Record<string, JsonValue> = {};
  for (let i = 1; i < LARGE_FIELDS; i += 1) object[largeField(i)] = i % 2 === 0 ? n * i : `text ${n} of ${i}`;
  return object;
}

/** From navigation to the first row, and to the count. */
async function firstPage(page: Page): Promise<{ rowsMs: number; countMs: number }> {
  const startedAt = performance.now();
  await page.goto(`${purse.url}/studio/data?class=Large`);
  await page.getByRole("gridcell", { name: "row0000000", exact: true }).waitFor();
  const rowsMs = performance.now() - startedAt;
  await page.getByText("more than 1,000 rows").waitFor();
  return { rowsMs, countMs: performance.now() - startedAt };
}

/** Scrolls for a while and records the frame times. */
async function measureScroll(page: Page, name: string, x: number, y: number): Promise<Frames> {
  const recording = page.evaluate(
    (ms) =>
      new Promise<number[]>((done) => {
        const frameTimes: number[] = [];
        const end = performance.now() + ms;
        const recordFrame = (now: number) => {
          frameTimes.push(now);
          if (now < end) requestAnimationFrame(recordFrame);
          else done(frameTimes);
        };
        requestAnimationFrame(recordFrame);
      }),
    MS,
  );
  const cpu = await page.context().newCDPSession(page);
  await cpu.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await taskSeconds();
  let isDone = false;
  void recording.then(() => {
    isDone = true;
  });
  while (!isDone) {
    if (x !== 0 || y !== 0) await page.mouse.wheel(x, y);
    await new Promise((resolve) => setTimeout(resolve, 16));
  }
  const frameTimes = await recording;
  const cpuMs = ((await taskSeconds()) - before) * 1_000;
  await cpu.detach();
  const gaps = frameTimes.slice(1).map((each, i) => each - (frameTimes[i] ?? each));
  return {
    name,
    frames: gaps.length,
    // Frame timestamps are not exact to 0.1 ms.
    over16: gaps.filter((gap) => gap > 17.5).length,
    over50: gaps.filter((gap) => gap > 50).length,
    p95: quantile(gaps, 0.95),
    worst: Math.max(...gaps),
    cpuMs,
  };

  async function taskSeconds(): Promise<number> {
    const { metrics } = await cpu.send("Performance.getMetrics");
    return metrics.find(({ name: metric }) => metric === "TaskDuration")?.value ?? 0;
  }
}

/** The highest rendered row, because the grid does not display counts above 1,000. */
async function loadedRows(page: Page): Promise<number> {
  const drawn = page.getByRole("grid").locator("[aria-rowindex]");
  const indexes = await drawn.evaluateAll((rows) => rows.map((row) => Number(row.ariaRowIndex)));
  return Math.max(0, ...indexes);
}

/** Measures the time from a key press until its result is rendered. */
async function measureKeys(page: Page): Promise<{ name: string; ms: number[] }[]> {
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(window, { seenEvents: seen });
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === "keydown") seen.push(entry.duration);
    });
    observer.observe({ type: "event", durationThreshold: 16, buffered: false } as PerformanceObserverInit);
  });
  await page.getByRole("grid").focus();
  const runs: { name: string; ms: number[] }[] = [];
  for (const [name, keys] of [
    ["arrow down", Array<string>(60).fill("ArrowDown")],
    ["arrow right", Array<string>(60).fill("ArrowRight")],
    ["selection extended", Array<string>(40).fill("Shift+ArrowDown")],
    ["editing started and left", Array.from({ length: 20 }, () => ["Enter", "Escape"]).flat()],
  ] as const) {
    await page.evaluate(() => Reflect.get(window, "seenEvents").splice(0));
    for (const key of keys) await page.keyboard.press(key);
    await page.waitForTimeout(200);
    const late: number[] = await page.evaluate(() => [...Reflect.get(window, "seenEvents")]);
    // Browsers report only events of 16 ms or longer.
    runs.push({ name, ms: [...late, ...Array<number>(Math.max(0, keys.length - late.length)).fill(8)] });
  }
  return runs;
}

function report(result: {
  filledMs: number;
  first: { rowsMs: number; countMs: number };
  scrolls: Frames[];
  loaded: number;
  keys: { name: string; ms: number[] }[];
}): void {
  const { first, scrolls, keys } = result;
  const percent = (part: number, all: number) => `${((100 * part) / Math.max(1, all)).toFixed(1)} %`;
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  const [load = 0] = loadavg();
  const text = `# Benchmark of the studio's data grid

${ROWS.toLocaleString("en")} rows of 200 columns, each with a value, in SQLite (filled in ${(result.filledMs / 1_000).toFixed(0)} s directly);
the built app, in a headless Chromium without a graphics card, 1280 × 800. The wheel was scrolled for ${MS / 1_000} s each;
${result.loaded.toLocaleString("en")} rows were loaded during the test.

| Scrolling | frames | over 16.7 ms | over 50 ms | 95 % within | longest | CPU time per frame |
| --- | --: | --: | --: | --: | --: | --: |
${scrolls
  .map(
    ({ name, frames, over16, over50, p95, worst, cpuMs }) =>
      `| ${name} | ${frames} | ${over16} (${percent(over16, frames)}) | ${over50} (${percent(over50, frames)}) | ${ms(p95)} | ${ms(worst)} | ${(cpuMs / Math.max(1, frames)).toFixed(1)} ms |`,
  )
  .join("\n")}

From a key press until its result is visible (Event Timing, with a resolution of 8 ms):

| key | times | median | 98 % within | longest |
| --- | --: | --: | --: | --: |
${keys
  .map(
    (run) =>
      `| ${run.name} | ${run.ms.length} | ${ms(quantile(run.ms, 0.5))} | ${ms(quantile(run.ms, 0.98))} | ${ms(Math.max(...run.ms))} |`,
  )
  .join("\n")}

The first rows are shown ${ms(first.rowsMs)} after the address was entered; the count ${ms(first.countMs)} after it; nothing waits for it.

${provenance("npm run bench:grid")}
The machine's load average was ${load.toFixed(0)} while it was measured: above the number of cores, frames are
missed for lack of CPU time, and the CPU time is the meaningful value.
`;
  writeFileSync(join(root, "docs/internals/benchmarks/grid.md"), text);
  console.log(text);
}
