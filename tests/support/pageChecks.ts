import type { Page } from "playwright-core";
import { expect } from "vitest";
import { accessibilityProblems } from "./accessibility.ts";
import { ALL_CASES } from "./allCases.ts";
import type { Visit } from "./browser.ts";
import { follow, watchRequests } from "./navigation.ts";
import { observeLoads, shiftProblems } from "./pageLoad.ts";
import { clippedTexts, installPseudoLocale, tooWideElements, untranslatedTexts } from "./pseudoLocale.ts";

const HEIGHT = 844;
/** A window of 1280 pixels at 200 % zoom is 640 pixels wide. */
const WIDTHS = [360, 640, 1280];
const [NARROW = 0] = WIDTHS;
const WIDE = WIDTHS.at(-1) ?? 0;
/** Browsers ignore layout shifts for so long after a window was resized. */
const RESIZED_MS = 500;
/** A warning that the tests cause: they block the service worker. */
const OF_TESTS = /Service Worker registration blocked by Playwright/;

interface PageChecks {
  /** Of the app or the studio. */
  url: string;
  paths: readonly string[];
  openWindow: () => Promise<Visit>;
  /** A page with samples of all components, whose texts are not translated. */
  samples?: string;
}

/**
 * What is wrong on pages in the pseudo-locale, each of which is opened once: violations of accessibility rules, layout shifts,
 * console messages, texts that are not translated or cut off, and windows that the pages do not fit. Half of them are opened
 * on a phone, and half on a desktop.
 */
export async function problemsOnPages({ paths, ...checks }: PageChecks): Promise<string[]> {
  const inOrder = tabsApart(paths);
  // Two windows, since a page often waits for the server.
  const problems = [0, 1].map((window) =>
    problemsInWindow({ ...checks, paths: inOrder.filter((_, i) => i % 2 === window) }),
  );
  return (await Promise.all(problems)).flat();
}

/** Paths in an order in which tabs of the same page are not next to each other: a link to another page shows when it has loaded. */
export function tabsApart(paths: readonly string[]): string[] {
  const seen = new Map<string, number>();
  const ranked = paths.map((path): [rank: number, path: string] => {
    const rank = seen.get(pathnameOf(path)) ?? 0;
    seen.set(pathnameOf(path), rank + 1);
    return [rank, path];
  });
  return ranked.sort(([one], [other]) => one - other).map(([, path]) => path);
}

async function problemsInWindow({ url, paths, openWindow, samples }: PageChecks): Promise<string[]> {
  const { page, errors, warnings } = await openWindow();
  await installPseudoLocale(page);
  await observeLoads(page);
  const requests = watchRequests(page);
  const found: string[] = [];
  let widths = WIDTHS;
  let resizedAt = 0;
  await page.setViewportSize({ width: NARROW, height: HEIGHT });
  for (const [i, path] of paths.entries()) {
    const isTabOfSame = pathnameOf(paths[i - 1] ?? "") === pathnameOf(path);
    if (i === 0 || isTabOfSame) await page.goto(url + path);
    else {
      await page.waitForFunction((at) => performance.now() > at, resizedAt + RESIZED_MS, { polling: 50 });
      await follow(page, url + path);
    }
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    if (path !== samples)
      await expect
        .poll(() => page.locator("main .skeleton").count(), { timeout: 40_000, message: path })
        .toBe(0);
    await requests.settled();
    const problems = await shiftProblems(page);
    for (const width of widths) {
      await page.setViewportSize({ width, height: HEIGHT });
      const checked = await Promise.all([
        tooWideElements(page),
        ...(path === samples ? [] : [clippedTexts(page), untranslatedTexts(page)]),
      ]);
      problems.push(...checked.flat().map((problem) => `${problem} (at ${width})`));
    }
    if (ALL_CASES) problems.push(...(await problemsAtFirst(page, widths)));
    resizedAt = await page.evaluate(() => performance.now());
    problems.push(...(await accessibilityProblems(page)));
    problems.push(...errors.splice(0), ...warnings.splice(0).filter((text) => !OF_TESTS.test(text)));
    // Each problem is reported once, not for each width.
    const byProblem = new Map(problems.map((each) => [each.replace(/ \(at \d+\)$/, ""), each]));
    found.push(...[...byProblem.values()].map((problem) => `${path || "/"}: ${problem}`));
    // The next page is opened at the width of this one's last checks.
    widths = widths.toReversed();
  }
  requests.stop();
  return found;
}

/** The violations of accessibility rules at the first of some widths; the window ends with the last one. */
async function problemsAtFirst(page: Page, widths: readonly number[]): Promise<string[]> {
  const [first = WIDE] = widths;
  await page.setViewportSize({ width: first, height: HEIGHT });
  const problems = await accessibilityProblems(page);
  await page.setViewportSize({ width: widths.at(-1) ?? WIDE, height: HEIGHT });
  return problems.map((problem) => `${problem} (at ${first})`);
}

function pathnameOf(path: string): string {
  return path.split("?")[0] ?? "";
}
