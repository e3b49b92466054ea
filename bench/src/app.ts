/*
 * Measures how the app's pages load and respond in Chromium, on a desktop and an emulated mid-range phone;
 * writes docs/internals/benchmarks/app.md.
 *   npm run bench:app -- [--rounds 5]
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { ensureAppsBuilt } from "../../scripts/build.mjs";
import { ensureChromium } from "../../scripts/chromium.mjs";
import { root } from "../../scripts/install.mjs";
import { ALL_APP_PAGES, STUDIO_VIEWS } from "../../tests/support/appPages.ts";
import {
  installWallet,
  launchBrowser,
  signInWithWallet,
  type Visit,
  visitUncached,
} from "../../tests/support/browser.ts";
import { loadPage, type PageLoad } from "../../tests/support/pageLoad.ts";
import { startPurse } from "../../tests/support/purse.ts";
import { setUpStudio, signInToStudio } from "../../tests/support/studio.ts";
import { provenance } from "./provenance.ts";

const TARGET = join(root, "docs/internals/benchmarks/app.md");

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const ROUNDS = Number(values.rounds);

const PAGES = {
  home: "/",
  portfolio: "/portfolio?address=0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  explorer: "/explorer",
} as const;

/** The phone as in Lighthouse: a four times slower CPU and a slow 4G network. */
const DEVICES = {
  desktop: { width: 1280, height: 800, cpuSlowdown: 1, latencyMs: 0, bytesPerSecond: -1 },
  phone: { width: 390, height: 844, cpuSlowdown: 4, latencyMs: 150, bytesPerSecond: 204_800 },
} as const;
type Device = keyof typeof DEVICES;

interface Measured extends PageLoad {
  /** ms from a click in the navigation until the heading of a page whose code is not loaded yet. */
  route: number;
  /** ms from Ctrl+K until the command palette is shown for the second time. */
  interaction: number;
}

ensureAppsBuilt();
process.env.CHROMIUM_PATH ??= ensureChromium();
const purse = await startPurse({ devChain: true });
const browser = await launchBrowser();
const rows: string[] = [];
const appRows: string[] = [];
const studioRows: string[] = [];
try {
  for (const device of ["desktop", "phone"] as const) {
    for (const [name, path] of Object.entries(PAGES)) {
      const all: Measured[] = [];
      for (let i = 0; i < ROUNDS; i++) all.push(await measure(browser, device, purse.url + path));
      rows.push(rowOf(device, name, all));
      console.log(rows.at(-1));
    }
  }
  await measureApp(browser);
  await measureStudio(browser);
} finally {
  await browser.close();
  await purse.remove();
}
writeFileSync(TARGET, renderPage());
console.log("docs/internals/benchmarks/app.md is written");

/** Measures the loads of all pages of the app, for a user who is signed in with a wallet. */
async function measureApp(browser: Browser): Promise<void> {
  const first = await visitUncached(browser);
  await installWallet(first.page, purse, 1);
  await signInWithWallet(first.page, purse);
  const storageState = await first.page.context().storageState();
  await first.close();
  // The tabs of a page have the same code and the same head.
  const paths = [...new Map(ALL_APP_PAGES.toReversed().map((path) => [path.split("?")[0], path])).values()];
  await measureEveryPage(paths.toReversed(), appRows, async () => {
    const visit = await visitUncached(browser, { viewport: desktopViewport(), storageState });
    await installWallet(visit.page, purse, 1);
    return visit;
  });
}

/** Measures the loads of all pages of the studio, for an owner. */
async function measureStudio(browser: Browser): Promise<void> {
  await setUpStudio(purse);
  const first = await visitUncached(browser);
  await signInToStudio(first.page, purse, "ada");
  const storageState = await first.page.context().storageState();
  await first.close();
  const paths = STUDIO_VIEWS.map(([path]) => `/studio${path}`);
  await measureEveryPage(paths, studioRows, () =>
    visitUncached(browser, { viewport: desktopViewport(), storageState }),
  );
}

function desktopViewport(): { width: number; height: number } {
  const { width, height } = DEVICES.desktop;
  return { width, height };
}

/** Measures the loads of pages on a desktop, without a cache, and adds a row for each. */
async function measureEveryPage(
  paths: readonly string[],
  pageRows: string[],
  open: () => Promise<Visit>,
): Promise<void> {
  for (const path of paths) {
    const all: PageLoad[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      const { page, close } = await open();
      all.push(await loadPage(page, purse.url + path));
      await close();
    }
    const cells = [
      `\`${path.replace(/0x[0-9a-f]{8,}/g, (hex) => `${hex.slice(0, 6)}…`)}\``,
      `${(median(all, ({ codeBytes }) => codeBytes) / 1000).toFixed(0)} kB`,
      `${Math.round(median(all, ({ largestPaint }) => largestPaint ?? 0))} ms`,
      median(all, ({ layoutShift }) => layoutShift).toFixed(3),
    ];
    pageRows.push(`| ${cells.join(" | ")} |`);
    console.log(pageRows.at(-1));
  }
}

function median<T>(all: readonly T[], of: (each: T) => number): number {
  return all.map(of).sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
}

async function measure(browser: Browser, device: Device, url: string): Promise<Measured> {
  const { width, height, cpuSlowdown, latencyMs, bytesPerSecond } = DEVICES[device];
  const { page, close } = await visitUncached(browser, { viewport: { width, height } });
  try {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: cpuSlowdown });
    await devtools.send("Network.enable");
    await devtools.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: latencyMs,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    });
    const load = await loadPage(page, url);
    const interaction = await interactionMs(page);
    return { ...load, interaction, route: await routeMs(page) };
  } finally {
    await close();
  }
}

async function interactionMs(page: Page): Promise<number> {
  const commands = page.getByRole("dialog", { name: "Commands" });
  // Their code is loaded on first use.
  await page.keyboard.press("Control+k");
  await commands.waitFor();
  await page.keyboard.press("Escape");
  await commands.waitFor({ state: "detached" });
  const elapsed = await msUntil(page, "[role=dialog]", () => page.keyboard.press("Control+k"));
  await page.keyboard.press("Escape");
  await commands.waitFor({ state: "detached" });
  return elapsed;
}

async function routeMs(page: Page): Promise<number> {
  const link = page.getByRole("link", { name: "Send", exact: true }).first();
  return msUntil(page, "main h1", () =>
    link.evaluate((element) => element instanceof HTMLElement && element.click()),
  );
}

/** ms of the page's clock from the next key or click until a new element is rendered. */
async function msUntil(page: Page, selector: string, action: () => Promise<unknown>): Promise<number> {
  await page.evaluate((wanted) => {
    const before = new Set(document.querySelectorAll(wanted));
    const start = () => {
      const from = performance.now();
      const check = () => {
        const isThere = [...document.querySelectorAll(wanted)].some((each) => !before.has(each));
        if (isThere) requestAnimationFrame(() => Reflect.set(window, "msTaken", performance.now() - from));
        else requestAnimationFrame(check);
      };
      check();
    };
    Reflect.set(window, "msTaken", null);
    const controller = new AbortController();
    for (const type of ["keydown", "click"])
      window.addEventListener(type, () => [controller.abort(), start()], {
        capture: true,
        signal: controller.signal,
      });
  }, selector);
  await action();
  const elapsed = await page.waitForFunction(() => Reflect.get(window, "msTaken"));
  return Number(await elapsed.jsonValue());
}

function rowOf(device: Device, name: string, all: readonly Measured[]): string {
  const ms = (of: (each: Measured) => number) => `${Math.round(median(all, of))} ms`;
  const cells = [
    device,
    name,
    `${(median(all, (each) => each.codeBytes) / 1000).toFixed(0)} kB`,
    ms((each) => each.largestPaint ?? 0),
    median(all, (each) => each.layoutShift).toFixed(3),
    String(median(all, (each) => each.longTasks.length)),
    ms((each) => Math.max(0, ...each.longTasks)),
    ms((each) => each.interaction),
    ms((each) => each.route),
  ];
  return `| ${cells.join(" | ")} |`;
}

function renderPage(): string {
  const { cpuSlowdown, latencyMs, bytesPerSecond } = DEVICES.phone;
  return `# App performance

Each page opened by a first-time visitor in Chromium, with the server on the same machine; median of ${ROUNDS} rounds. The phone is
emulated: a CPU ${cpuSlowdown} times slower, ${latencyMs} ms to the server, ${(bytesPerSecond * 8) / 1_000_000} Mbit/s. "Code" is the document, scripts and styles,
compressed. "Largest paint" is LCP (good: up to 2500 ms), "shift" is CLS (good: up to 0.1), long tasks are those over 50 ms.
"Commands" is the time from Ctrl+K until the palette is shown, "next page" from a click until a page is shown whose code is not loaded yet.
Bytes and shifts do not depend on the machine; \`tests/browser/shell.nightly.browser.test.ts\` enforces them.

| | page | code | largest paint | shift | long tasks | longest | commands | next page |
| --- | --- | --: | --: | --: | --: | --: | --: | --: |
${rows.join("\n")}

## Every page

On the desktop, without a cache. The goal is a largest paint of at most 1 s, and a shift of at most 0.05.

The app, for a user who is signed in with a wallet:

| page | code | largest paint | shift |
| --- | --: | --: | --: |
${appRows.join("\n")}

The studio, for an owner:

| page | code | largest paint | shift |
| --- | --: | --: | --: |
${studioRows.join("\n")}

${provenance("npm run bench:app")}
`;
}
