import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../support/accessibility.ts";
import { ALL_CASES } from "../support/allCases.ts";
import { APP_PAGES } from "../support/appPages.ts";
import { installWallet, type Visit, visitUncached } from "../support/browser.ts";
import { rendered, watchRequests } from "../support/navigation.ts";
import {
  disconnectServer,
  failuresToTry,
  forEach,
  MAX_DELAY_MS,
  type OutageVisit,
  pageState,
  problemsWithout,
  reconnectServer,
  reusing,
  visitInOutage,
} from "../support/outage.ts";
import { rest } from "../support/purse.ts";
import { walletState } from "../support/signedIn.ts";
import { serveWebApp } from "../support/webApp.ts";

/** Pages cancel reads that take longer than this: see useServerQuery.ts. */
const MAX_READ_MS = 65_000;
/** Pages that read nothing and do not change without a server. */
const OWN = ["/sign-in", "/account"];
const PAGES = APP_PAGES.filter((path) => !OWN.includes(path));
/** One path of each page: the others show other tabs of it. */
const FIRST_PAGES: readonly string[] = [
  ...new Map(PAGES.toReversed().map((path) => [path.split("?")[0], path])).values(),
];
const asItems = (paths: readonly string[]) => paths.map((path) => ({ path }));

const app = serveWebApp();
/** The session and the wallet of a signed-in user. */
let storage: Awaited<ReturnType<typeof walletState>>;

beforeAll(async () => {
  const note = { text: "Order the beans", ACL: { "*": { read: true } } };
  await rest(app.purse, "POST", "/classes/Note", note, { useMasterKey: true });
  storage = await walletState(app.purse, 1);
});

/** Opens the page of a signed-in user with a clock that the test controls. */
async function withClock(): Promise<Visit> {
  const visitor = await visitUncached(app.browser, { storageState: storage });
  visitor.page.setDefaultTimeout(40_000);
  await visitor.page.clock.install();
  return visitor;
}

/** Without the wallet of the user. */
const withoutWallet = reusing(withClock);

const withWallet = reusing(async () => {
  const visitor = await withClock();
  await installWallet(visitor.page, app.purse, 1);
  return visitor;
});

/** Runs tasks on pages. Contracts are read through the wallet if there is one, whose node stays reachable. */
async function forEachPage<T extends { path: string }, R>(
  items: readonly T[],
  run: (item: T, page: Page) => Promise<R>,
): Promise<R[]> {
  const isContract = ({ path }: T) => path.startsWith("/contract");
  const others = items.filter((item) => !isContract(item));
  return [
    ...(await forEach(others, withWallet, run)),
    ...(await forEach(items.filter(isContract), withoutWallet, run)),
  ];
}

/** Runs a task on a page of the user with the wallet. */
async function asOwner(run: (page: Page) => Promise<void>): Promise<void> {
  const { page, close } = await withWallet();
  try {
    await run(page);
  } finally {
    await reconnectServer(page);
    await page.goto("about:blank");
    await close();
  }
}

/** Each page during an outage: visited once for all tests. */
let visits: Promise<OutageVisit[]> | undefined;

function visitsInOutage(): Promise<OutageVisit[]> {
  visits ??= forEachPage(asItems(ALL_CASES ? PAGES : FIRST_PAGES), ({ path }, page) =>
    visitInOutage(page, app.purse, { path, url: app.purse.url + path, timeoutMs: MAX_READ_MS }),
  );
  return visits;
}

describe("every page while the server and the node do not answer, or are down", () => {
  it("shows errors with a retry button after its reads have timed out, no empty states, and recovers automatically", async () => {
    const problems = (await visitsInOutage()).flatMap((each) => each.problems);
    expect(problems).toEqual([]);
  }, 900_000);
});

/** Where the parts of a page are. */
function placesOf(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("header, main section, main h1, main .list > li")].map((element) => {
      const { top, left } = element.getBoundingClientRect();
      return [element.tagName, Math.round(top + window.scrollY), Math.round(left)].join(" ");
    }),
  );
}

describe("an open page when the server goes down", () => {
  it("keeps the portfolio with its age, does not shift its layout, and refreshes it when the server is back", async () => {
    await asOwner(async (page) => {
      const requests = watchRequests(page);
      await page.goto(`${app.purse.url}/portfolio`);
      const total = page.getByRole("region", { name: "Total value" });
      const tokens = page.getByRole("region", { name: "Tokens" });
      const banner = page.getByRole("banner");
      await tokens.getByText("Purse Token").waitFor();
      await page.getByRole("img", { name: /./ }).or(page.getByRole("slider")).first().waitFor();
      await page.getByRole("region", { name: "Approvals" }).getByText("No open approvals").waitFor();
      for (const viewport of [
        { width: 390, height: 844 },
        { width: 1280, height: 800 },
      ]) {
        await page.setViewportSize(viewport);
        await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
        await requests.settled();
        await rendered(page);
        const places = await placesOf(page);
        const before = await total.locator(".total").innerText();
        const { empty } = await pageState(page);
        await disconnectServer(page, app.purse);
        await page.getByRole("button", { name: "Refresh" }).click();
        await total.getByText(/^Last updated/).waitFor();
        expect(await total.locator(".total").innerText()).toBe(before);
        await tokens.getByText("Purse Token").waitFor();
        await tokens.getByText(/^Last updated/).waitFor();
        expect((await pageState(page)).empty).toEqual(empty);
        // A phone shows it without its text.
        await banner
          .getByRole("status")
          .filter({ hasText: "Can't reach the server" })
          .waitFor({ state: "attached" });
        expect(await placesOf(page), `at ${viewport.width} pixels`).toEqual(places);
        if (viewport.width === 1280) {
          await banner.getByText("Can't reach the server").waitFor();
          await expectAccessible(page);
        }
        await reconnectServer(page);
        await page.clock.fastForward(MAX_DELAY_MS);
        await expect.poll(() => page.getByText(/^Last updated/).count(), { timeout: 40_000 }).toBe(0);
        await expect.poll(() => page.getByText("Can't reach the server").count()).toBe(0);
      }
      requests.stop();
    });
  });

  it("keeps the blocks of the explorer, and shows that the chain is unreachable", async () => {
    await asOwner(async (page) => {
      await page.goto(`${app.purse.url}/explorer`);
      await page.getByText("Synced").waitFor();
      const rows = page.getByRole("region", { name: "Latest blocks" }).getByRole("row");
      await rows.getByRole("link").first().waitFor();
      const before = await rows.count();
      await disconnectServer(page, app.purse);
      await page.clock.fastForward(MAX_DELAY_MS);
      await page.getByText("Unreachable").waitFor();
      await page
        .getByText(/^Last updated/)
        .first()
        .waitFor();
      expect(await rows.count()).toBe(before);
      await reconnectServer(page);
      await page.clock.fastForward(MAX_DELAY_MS);
      await page.getByText("Synced").waitFor();
    });
  });
});

/** Pages with amounts of tokens whose decimals they read. */
const WITH_TOKEN_AMOUNTS = /^\/(swap|explorer\/(token|tx)\/)/;

/** Whether a page works without a resource, which is not shown in place of data. */
function isBeside(path: string, name: string): boolean {
  // Images have their own fallback; an address is shown instead of its name.
  if (name.endsWith("/image") || name === "functions/resolveAddress") return true;
  // The signed-in user is read again, and known from the sign-in until then.
  if (name.startsWith("classes/_User/")) return true;
  // The symbol of a token next to its address. Amounts need the decimals, too.
  if (name === "functions/getTokenMetadata") return !WITH_TOKEN_AMOUNTS.test(path);
  // A sign that an address is one of a contract.
  if (name === "functions/getLogsByAddress") return path.startsWith("/explorer/address/");
  // The history of an address also shows whether it is a contract.
  if (name === "node eth_getCode") return path.startsWith("/explorer");
  // The link to swap tokens; the swap page shows the failure.
  if (name === "functions/getPluginSpecs") return path === "/portfolio";
  // The state of the chain: the header shows that it is unreachable.
  return name === "/health" && path.startsWith("/explorer/");
}

describe("every page while one of its resources fails", () => {
  it("shows an error and no empty state", async () => {
    const visited = await visitsInOutage();
    const healthy = new Map(visited.map(({ path, empty }) => [path, empty]));
    const reads = visited
      .filter(({ path }) => FIRST_PAGES.includes(path))
      .map(({ path, names }) => ({ path, names: names.filter((each) => !isBeside(path, each)) }));
    const problems = await forEachPage(failuresToTry(reads), ({ path, names }, page) =>
      problemsWithout(names, page, app.purse, { path, url: app.purse.url + path, empty: healthy.get(path) }),
    );
    expect(problems.flat()).toEqual([]);
  }, 1_800_000);
});
