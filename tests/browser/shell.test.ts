import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  expectAccessible,
  expectNoErrors,
  installWallet,
  launchBrowser,
  signInWithWallet,
  type Visit,
  visit,
} from "../support/browser.ts";
import { loadPage } from "../support/pageLoad.ts";
import {
  clippedTexts,
  installPseudoLocale,
  tooWideElements,
  untranslatedTexts,
} from "../support/pseudoLocale.ts";
import { type Purse, startPurse } from "../support/purse.ts";
import { setUpStudio, signInToStudio } from "../support/studio.ts";
import { translatorOf } from "../support/translations.ts";

/** What one page may load before it is there: see scripts/appSizes.ts. */
const FIRST_LOAD_LIMIT = 200_000;
const PHONE = { width: 390, height: 844 };
const PAGES = [
  "/",
  "/sign-in",
  "/portfolio",
  "/send",
  "/explorer",
  "/explorer/block/59",
  "/explorer/tx/0x2cabeba560b040e4be8614b3f16cd5798d4c2ced1146c655243c022920d85d09",
  "/explorer/address/0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  "/explorer/token/0x5fbdb2315678afecb367f032d93f642f64180aa3",
  "/explorer/nft/0xe7f1725e7734ce288f8367e1bb143e90bb3f0512/1",
  "/contract?address=0x5fbdb2315678afecb367f032d93f642f64180aa3",
  "/data",
  "/files",
  "/account",
  "/account?tab=security",
  "/account?tab=sessions",
  "/no/such/page",
];
const ROOMS = [
  "",
  "/data?class=_User",
  "/classes",
  "/functions",
  "/jobs",
  "/hooks",
  "/push",
  "/mail",
  "/config",
  "/files",
  "/plugins",
  "/chains",
  "/logs",
  "/backup",
  "/keys",
  "/operators",
  "/audit",
  "/security",
];

let purse: Purse;
let browser: Browser;
let visits: Visit[] = [];
let studio: Promise<unknown> | undefined;

beforeAll(async () => {
  [purse, browser] = await Promise.all([startPurse({ devChain: true }), launchBrowser()]);
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await purse?.remove();
});
afterEach(async () => {
  await Promise.all(visits.map((each) => each.close()));
  visits = [];
});

async function open(options: BrowserContextOptions = {}): Promise<Visit> {
  const visitor = await visit(browser, options);
  visitor.page.setDefaultTimeout(30_000);
  visits.push(visitor);
  return visitor;
}

/** Sets the studio up once, with the owner `ada`. */
async function openStudio(): Promise<void> {
  studio ??= setUpStudio(purse);
  await studio;
}

describe("the first load", () => {
  it("of the first page stays within its bytes", async () => {
    const { page } = await open();
    const { codeBytes, largestElement } = await loadPage(page, `${purse.url}/`);
    expect(codeBytes).toBeGreaterThan(50_000);
    expect(codeBytes).toBeLessThan(FIRST_LOAD_LIMIT);
    expect(largestElement).not.toBe("");
  });

  it.each(["/", "/explorer", "/portfolio?address=0x70997970c51812dc3a010c7d01b50e0d17dc79c8"])(
    "of %s does not move what is already there, on a desktop and on a phone",
    async (path) => {
      for (const viewport of [{ width: 1280, height: 800 }, PHONE]) {
        const visitor = await open({ viewport });
        const { layoutShift, largestPaint, shifts } = await loadPage(visitor.page, purse.url + path);
        expect(largestPaint).not.toBeNull();
        expect(layoutShift, shifts.join("\n")).toBeLessThanOrEqual(0.1);
        expectNoErrors(visitor);
      }
    },
  );
});

describe("the first steps", () => {
  it("say what is done, and stay hidden once people have hidden them", async () => {
    const visitor = await open();
    const { page } = visitor;
    await page.goto(purse.url);
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

describe("the theme", () => {
  it("is there before anything is painted, and every switch shows it", async () => {
    const { page } = await open({ colorScheme: "light" });
    await page.goto(purse.url);
    await page.getByRole("radio", { name: "Dark" }).check({ force: true });
    await page.addInitScript(() => {
      // The body cannot be painted before it is there.
      new MutationObserver((_, observer) => {
        if (!document.body) return;
        observer.disconnect();
        Reflect.set(window, "themeAtFirst", document.documentElement.dataset.theme);
      }).observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    expect(await page.evaluate(() => Reflect.get(window, "themeAtFirst"))).toBe("dark");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search pages" }).fill("theme light");
    await page.keyboard.press("Enter");
    await page.getByRole("radio", { name: "Light" }).and(page.locator(":checked")).waitFor();
  });

  it("leaves out motion for those who do not want it", async () => {
    const { page } = await open({ reducedMotion: "reduce" });
    await page.goto(purse.url);
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
    const first = await open({ colorScheme: "light" });
    await signInToStudio(first.page, purse, "ada");
    const stored = first.page.waitForResponse(/\/preferences$/);
    await first.page.getByRole("radio", { name: "Dark" }).check({ force: true });
    expect((await stored).ok()).toBe(true);
    const second = await open({ colorScheme: "light" });
    await signInToStudio(second.page, purse, "ada");
    await second.page.locator('html[data-theme="dark"]').waitFor();
    await second.page.getByRole("radio", { name: "Dark" }).and(second.page.locator(":checked")).waitFor();
    expectNoErrors(second);
  });
});

describe("without a connection", () => {
  it("says so, keeps the page, and goes on by itself", async () => {
    const { page } = await open();
    await page.goto(purse.url);
    await page.getByText("Running", { exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByText("You're offline. Data may be out of date.").waitFor();
    await page.getByRole("link", { name: "Files" }).click();
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { level: 1, name: "Files" }).waitFor();
    await expect.poll(() => page.getByText("You're offline").count()).toBe(0);
  });
});

describe("the keyboard", () => {
  it("leads through the whole shell, and the focus is never lost", async () => {
    const visitor = await open();
    const { page } = visitor;
    await page.goto(purse.url);
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

  it("opens what a phone's bar has no room for, with theme and language", async () => {
    const { page } = await open({ viewport: PHONE });
    await page.goto(purse.url);
    await page.getByRole("button", { name: "More" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Account", exact: true }).waitFor();
    await page.getByRole("radio", { name: "Dark" }).waitFor({ state: "attached" });
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("link", { name: "Account", exact: true }).count()).toBe(0);
    expect(await focused(page)).toBe("More");
  });
});

describe("another language", () => {
  it("is the browser's language, or the one that is chosen here, and stays chosen", async () => {
    const { page } = await open({ locale: "de-AT" });
    await page.goto(purse.url);
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

  it("can be one with another script, and English again", async () => {
    // Who reads traditional characters is shown English, rather than simplified ones.
    const { page } = await open({ locale: "zh-TW" });
    await page.addInitScript(() =>
      Object.defineProperty(navigator, "languages", { get: () => ["zh-TW", "zh", "en-US"] }),
    );
    await page.goto(purse.url);
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

describe("in a pseudo-locale, whose texts are longer than those of most languages", () => {
  it("every page is translated and has room, on a phone, on a desktop, and there at twice the size", async () => {
    const { page } = await open({ viewport: PHONE });
    await installWallet(page, purse, 1);
    await signInWithWallet(page, purse);
    await installPseudoLocale(page);
    const problems: string[] = [];
    for (const path of PAGES) problems.push(...(await textProblems(page, purse.url, path)));
    expect(problems).toEqual([]);
    await expectAccessible(page);
  }, 240_000);

  it("every page of the studio is translated and has room, on a phone and on a desktop", async () => {
    const { page } = await open({ viewport: PHONE });
    await openStudio();
    await signInToStudio(page, purse, "ada");
    await installPseudoLocale(page);
    const problems: string[] = [];
    for (const path of ROOMS) problems.push(...(await textProblems(page, `${purse.url}/studio`, path)));
    expect(problems).toEqual([]);
  }, 240_000);
});

/** Texts of a page that are not translated or cut off, and windows that it does not fit. */
async function textProblems(page: Page, url: string, path: string): Promise<string[]> {
  const problems = new Set<string>();
  await page.goto(url + path);
  await settled(page);
  // A window of 1280 pixels at 200 % has room for 640.
  for (const width of [360, 640, 1280]) {
    await page.setViewportSize({ width, height: PHONE.height });
    const found = await Promise.all([tooWideElements(page), clippedTexts(page), untranslatedTexts(page)]);
    for (const problem of found.flat()) problems.add(`${path || "/"}: ${problem} (at ${width})`);
  }
  // What is wrong at several widths is said once.
  const byProblem = new Map([...problems].map((each) => [each.replace(/ \(at \d+\)$/, ""), each]));
  return [...byProblem.values()];
}

function languageOf(page: Page): Promise<string> {
  return page.evaluate(() => document.documentElement.lang);
}

async function settled(page: Page): Promise<void> {
  await page.getByRole("heading").first().waitFor();
  await page.waitForLoadState("networkidle");
}

/** What a screen reader would call the focused element, roughly. */
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
    // What is hidden itself shows its focus on its label.
    return shows(element) || shows(element.closest("label"));
  });
}
