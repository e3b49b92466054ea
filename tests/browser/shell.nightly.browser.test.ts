import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accessibilityProblems, expectAccessible } from "../support/accessibility.ts";
import { ALL_CASES, casesOf, pairsOf } from "../support/allCases.ts";
import { ALL_APP_PAGES } from "../support/appPages.ts";
import { expectNoErrors, installWallet, type Visit } from "../support/browser.ts";
import { rendered, type WatchedRequests, watchRequests } from "../support/navigation.ts";
import { problemsOnPages } from "../support/pageChecks.ts";
import { loadPage, MAX_LAYOUT_SHIFT, observeLoads, shiftProblems } from "../support/pageLoad.ts";
import { tooWideElements } from "../support/pseudoLocale.ts";
import { walletState } from "../support/signedIn.ts";
import { sessionCookies, setUpStudio } from "../support/studio.ts";
import { translatorOf } from "../support/translations.ts";
import { serveWebApp } from "../support/webApp.ts";

/** The maximum size of the initial load of the home page. */
const FIRST_LOAD_LIMIT = 196_000;
const PHONE = { width: 390, height: 844 };
/** The page with samples of all components. */
const SAMPLES = "/design";
/** Pages that visitors see in another state than users. */
const VISITOR_PAGES = [
  "/",
  "/sign-in",
  "/portfolio",
  "/send",
  "/swap",
  "/contract",
  "/data",
  "/files",
  "/account",
  // Leads to the class of the data page.
  "/notes",
  "/no/such/page",
];
const SCREENS = [
  { width: 1280, height: 800 },
  { width: 360, height: 720 },
];
const VISITS = pairsOf(VISITOR_PAGES, SCREENS);
const app = serveWebApp();
let studio: Promise<unknown> | undefined;

/** Sets the studio up once, with the owner `ada`. */
async function openStudio(): Promise<void> {
  studio ??= setUpStudio(app.purse);
  await studio;
}

/** A warning that the tests cause: they block the service worker. */
const OF_TESTS = /Service Worker registration blocked by Playwright/;

describe("the initial load", () => {
  it("of the home page stays below the size limit", async () => {
    const { page } = await app.openUncached();
    const { codeBytes, largestElement } = await loadPage(page, `${app.purse.url}/`);
    expect(codeBytes).toBeGreaterThan(50_000);
    expect(codeBytes).toBeLessThan(FIRST_LOAD_LIMIT);
    expect(largestElement).not.toBe("");
  });

  it.each([
    "/explorer/address/0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
    "/portfolio?address=0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  ])("of %s does not shift the layout on a desktop and a phone", async (path) => {
    for (const viewport of [{ width: 1280, height: 800 }, PHONE]) {
      const visitor = await app.openUncached({ viewport });
      const { layoutShift, largestPaint, shifts } = await loadPage(visitor.page, app.purse.url + path);
      expect(largestPaint).not.toBeNull();
      expect(layoutShift, shifts.join("\n")).toBeLessThanOrEqual(MAX_LAYOUT_SHIFT);
      expectNoErrors(visitor);
    }
  });
});

describe("every page of the app", () => {
  /** What users of a page would notice after it has loaded. */
  async function problemsOf(
    { page, errors, warnings }: Visit,
    requests: WatchedRequests,
    path: string,
    isAccessibilityChecked: boolean,
  ): Promise<string[]> {
    errors.length = 0;
    warnings.length = 0;
    await page.goto(app.purse.url + path);
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    await page.getByRole("heading").first().waitFor();
    // The page with samples of all components has placeholders that stay.
    if (path !== SAMPLES)
      await expect
        .poll(() => page.locator("main .skeleton").count(), { timeout: 40_000, message: path })
        .toBe(0);
    await requests.settled();
    await rendered(page);
    const found = await Promise.all([shiftProblems(page), tooWideElements(page)]);
    found.push(
      isAccessibilityChecked ? await accessibilityProblems(page) : [],
      errors,
      warnings.filter((text) => !OF_TESTS.test(text)),
    );
    return found.flat().map((problem) => `${path}: ${problem}`);
  }

  /** Opens pages in some windows. */
  async function expectNoProblems(
    paths: readonly string[],
    openWindow: () => Promise<Visit>,
    { windows = 1, isAccessibilityChecked = true } = {},
  ): Promise<void> {
    const waiting = [...paths];
    const problems: string[] = [];
    const work = async () => {
      const visitor = await openWindow();
      await observeLoads(visitor.page);
      const requests = watchRequests(visitor.page);
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
        problems.push(...(await problemsOf(visitor, requests, path, isAccessibilityChecked)));
      requests.stop();
    };
    await Promise.all(Array.from({ length: windows }, work));
    expect(problems).toEqual([]);
  }

  /** Opens a window of a user with a wallet. */
  async function openWithWallet(): Promise<Visit> {
    const visitor = await app.open({ viewport: PHONE, storageState: await walletState(app.purse, 1) });
    await installWallet(visitor.page, app.purse, 1);
    return visitor;
  }

  it("is accessible, stable, fits phones, zoomed and wide windows, and has no console messages and untranslated texts, for a user with a wallet", async () => {
    const problems = await problemsOnPages({
      url: app.purse.url,
      paths: ALL_APP_PAGES,
      openWindow: openWithWallet,
      samples: SAMPLES,
    });
    expect(problems).toEqual([]);
  }, 240_000);

  // Above, the texts are longer, and pages are opened without loading the app anew. Rules of accessibility do not depend on that.
  it("is stable and fits a phone without console messages when it is loaded in English, for a user with a wallet", () => {
    const paths = casesOf(ALL_APP_PAGES, (_, i) => i % 3 === 0);
    return expectNoProblems(paths, openWithWallet, { windows: 2, isAccessibilityChecked: ALL_CASES });
  }, 240_000);

  it.each(SCREENS)(
    "is accessible, stable and fits $width pixels without console messages, for a visitor",
    { tags: ["1.provider.every-page", "2.shell.common-wrapper"], timeout: 240_000 },
    (viewport) => {
      const paths = VISITS.flatMap(([path, screen]) => (screen === viewport ? [path] : []));
      return expectNoProblems(paths, () => app.open({ viewport }));
    },
  );
});

describe("the initial load of the studio", () => {
  it("does not shift the layout", async () => {
    await openStudio();
    const visitor = await app.openUncached();
    await visitor.page.context().addCookies(await sessionCookies(app.purse, "ada"));
    const { layoutShift, shifts } = await loadPage(visitor.page, `${app.purse.url}/studio`);
    await visitor.page.getByRole("region", { name: "Latency (p95)" }).waitFor();
    expect(layoutShift, shifts.join("\n")).toBeLessThanOrEqual(MAX_LAYOUT_SHIFT);
    expectNoErrors(visitor);
  });
});

describe("the first steps", () => {
  it("show completed steps, and stay hidden once the user has hidden them", async () => {
    const visitor = await app.open();
    const { page } = visitor;
    await page.goto(app.purse.url);
    const steps = page.getByRole("region", { name: "First steps" });
    await steps.getByRole("link", { name: "Sign in with a development account" }).waitFor();
    expect(await steps.getByText("Done:").count()).toBe(0);
    await steps.getByRole("button", { name: "Hide" }).click();
    await steps.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { name: "Connect your app" }).waitFor();
    expect(await steps.count()).toBe(0);
    expectNoErrors(visitor);
  });
});

describe("a list of tabs that is wider than its card", () => {
  it("shows the selected tab", async () => {
    const { page } = await app.open();
    await page.goto(app.purse.url);
    const list = page.getByRole("tablist", { name: "App types" });
    const selected = list.getByRole("tab", { selected: true });
    const [outer, inner] = await Promise.all([list.boundingBox(), selected.boundingBox()]);
    expect(inner?.x).toBeGreaterThanOrEqual(outer?.x ?? Number.POSITIVE_INFINITY);
  });
});

describe("the theme", () => {
  it("is applied before the first paint and shown by every switch", async () => {
    const { page } = await app.open({ colorScheme: "light" });
    await page.goto(app.purse.url);
    await page.getByRole("radio", { name: "Dark" }).check({ force: true });
    await page.addInitScript(() => {
      // The body cannot be painted before it exists.
      new MutationObserver((_, observer) => {
        if (!document.body) return;
        observer.disconnect();
        Reflect.set(window, "themeAtFirst", document.documentElement.dataset.theme);
      }).observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    expect(await page.evaluate(() => Reflect.get(window, "themeAtFirst"))).toBe("dark");
    await page.getByRole("radio", { name: "Dark" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search pages" }).fill("theme light");
    await page.keyboard.press("Enter");
    await page.getByRole("radio", { name: "Light" }).and(page.locator(":checked")).waitFor();
  });

  it("disables animations for users who prefer reduced motion", async () => {
    const { page } = await app.open({ reducedMotion: "reduce" });
    await page.goto(app.purse.url);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const moving = await page.evaluate(() =>
      document.getAnimations().map(({ effect }) => effect?.getTiming()),
    );
    expect(moving.filter((timing) => Number(timing?.duration) > 1)).toEqual([]);
    expect(moving.filter((timing) => timing?.iterations !== 1)).toEqual([]);
  });
});

describe("the theme of the studio", () => {
  it("is the operator's on every device", async () => {
    await openStudio();
    const openAs = async (username: string) => {
      const visitor = await app.open({ colorScheme: "light" });
      await visitor.page.context().addCookies(await sessionCookies(app.purse, username));
      await visitor.page.goto(`${app.purse.url}/studio`);
      return visitor;
    };
    const first = await openAs("ada");
    const stored = first.page.waitForResponse(/\/preferences$/);
    await first.page.getByRole("radio", { name: "Dark" }).check({ force: true });
    expect((await stored).ok()).toBe(true);
    const second = await openAs("ada");
    await second.page.locator('html[data-theme="dark"]').waitFor();
    await second.page.getByRole("radio", { name: "Dark" }).and(second.page.locator(":checked")).waitFor();
    expectNoErrors(second);
  });
});

describe("an offline page", () => {
  it("shows a notice, stays usable, and recovers automatically", async () => {
    // The code of the next page must not be in the cache.
    const { page } = await app.openUncached();
    await page.goto(app.purse.url);
    await page.getByText("Running", { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByText("You're offline. Data may be out of date.").waitFor();
    await page.getByRole("link", { name: "Files" }).click();
    await page.getByRole("alert").filter({ hasText: "Part of the app failed to load" }).waitFor();
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole("heading", { level: 1, name: "Files" }).waitFor();
    await expect.poll(() => page.getByText("You're offline").count()).toBe(0);
  });
});

describe("keyboard navigation", () => {
  it("reaches the whole shell and never loses the focus", async () => {
    const visitor = await app.open();
    const { page } = visitor;
    await page.goto(app.purse.url);
    await page.getByText("Running", { exact: true }).waitFor();
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Skip to content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    await page.reload();
    await page.getByText("Running", { exact: true }).waitFor();
    const names: string[] = [];
    for (let i = 0; i < 14; i += 1) {
      await page.keyboard.press("Tab");
      names.push(await focused(page));
      expect(await hasVisibleFocus(page), names.at(-1)).toBe(true);
    }
    expect(names.join("|")).toContain("Home|Portfolio|Send|Explorer|Contract|Data|Files|Account");
    expect(names.join("|")).toContain("Search or jump to…");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toBe(names.at(-1));
    await page.keyboard.press("g");
    await page.keyboard.press("f");
    await expect.poll(() => focused(page)).toBe("Files");
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Your own wallet-ready backend" }).waitFor();
    expectNoErrors(visitor);
  });

  it("opens the menu of a phone with theme and language", async () => {
    const { page } = await app.open({ viewport: PHONE });
    await page.goto(app.purse.url);
    await page.getByRole("button", { name: "More" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Account", exact: true }).waitFor();
    await page.getByRole("radio", { name: "Dark" }).waitFor({ state: "attached" });
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("link", { name: "Account", exact: true }).count()).toBe(0);
    expect(await focused(page)).toBe("More");
  });
});

describe("the check of accessibility", () => {
  const show = (page: Page, rows: readonly string[]) =>
    page.setContent(
      `<html lang="en"><title>Rows</title><main><h1>Rows</h1><ul>${rows.join("")}</ul></main></html>`,
    );

  it("finds the one text without enough contrast among many with the same colors", async () => {
    const { page } = await app.open();
    const row = (name: string, style = "") => `<li style="${style}"><span>Row ${name}</span></li>`;
    const rows = Array.from({ length: 40 }, (_, i) => row(String(i)));
    await show(page, rows);
    await expectAccessible(page);
    await show(page, [...rows, row("dim", "color: #bbb")]);
    await expect(expectAccessible(page)).rejects.toThrow("to deeply equal []");
    await show(page, [...rows, row("dark", "background: #333")]);
    await expect(expectAccessible(page)).rejects.toThrow("to deeply equal []");
  });

  it("finds a text without enough contrast after texts with the same colors that need none", async () => {
    const { page } = await app.open();
    const row = (content: string) => `<li style="color: #bbb">${content}</li>`;
    const exempt = [
      row("<span>x</span>"),
      row('<label for="off">Disabled</label> <input id="off" disabled>'),
    ];
    await show(page, exempt);
    await expectAccessible(page);
    await show(page, [...exempt, row("<span>Dim</span>")]);
    await expect(expectAccessible(page)).rejects.toThrow("to deeply equal []");
  });
});

describe("the language", () => {
  it("is used for German browsers or by choice, which is remembered", async () => {
    const { page } = await app.open({ locale: "de-AT" });
    await page.goto(app.purse.url);
    await page.getByRole("heading", { level: 1, name: "Dein eigenes Backend mit Wallets" }).waitFor();
    expect(await languageOf(page)).toBe("de-AT");
    await page.getByRole("combobox", { name: "Sprache" }).selectOption("English");
    await page.getByRole("heading", { level: 1, name: "Your own wallet-ready backend" }).waitFor();
    await expect.poll(() => page.title()).toBe("Home · Purse");
    await page.reload();
    await page.getByRole("combobox", { name: "Language" }).selectOption("Deutsch");
    await page.reload();
    await page.getByRole("link", { name: "Dateien" }).waitFor();
    await expect.poll(() => page.title()).toBe("Start · Purse");
    expect(await languageOf(page)).toBe("de-AT");
  });

  it("can be chosen in another script, and English again", async () => {
    // Readers of traditional characters get English instead of simplified characters.
    const { page } = await app.open({ locale: "zh-TW" });
    await page.addInitScript(() =>
      Object.defineProperty(navigator, "languages", { get: () => ["zh-TW", "zh", "en-US"] }),
    );
    await page.goto(app.purse.url);
    const heading = "Your own wallet-ready backend";
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    expect(await languageOf(page)).toBe("en-US");
    let label = "Language";
    for (const { code, name, tag } of [
      { code: "ja", name: "日本語", tag: "ja" },
      { code: "zh", name: "简体中文", tag: "zh-Hans" },
    ]) {
      const translate = translatorOf(code);
      await page.getByRole("combobox", { name: label }).selectOption(name);
      await page.getByRole("heading", { level: 1, name: translate(heading) }).waitFor();
      await expect.poll(() => languageOf(page)).toBe(tag);
      label = translate("Language");
    }
    await page.getByRole("combobox", { name: label }).selectOption("English");
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await expect.poll(() => languageOf(page)).toBe("en-US");
  });
});

function languageOf(page: Page): Promise<string> {
  return page.evaluate(() => document.documentElement.lang);
}

/** Returns the approximate accessible name of the focused element. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    return (element?.getAttribute("aria-label") ?? element?.textContent ?? "").trim();
  });
}

function hasVisibleFocus(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return false;
    const shows = (each: Element | null) => each !== null && getComputedStyle(each).outlineStyle !== "none";
    // A hidden input shows its focus on its label.
    return shows(element) || shows(element.closest("label"));
  });
}
