import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../support/accessibility.ts";
import { APP_PAGES } from "../support/appPages.ts";
import {
  installWallet,
  launchBrowser,
  signInWithWallet,
  type Visit,
  visitUncached,
} from "../support/browser.ts";
import {
  disconnectServer,
  failApi,
  failuresToTry,
  forEach,
  hangServer,
  IDLE_PAGES_LIMIT,
  namesOf,
  outageProblemsOf,
  pageState,
  problemsOf,
  reconnectServer,
  TRIES_EVERY_PAGE,
} from "../support/outage.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

/** Pages cancel reads that take longer than this: see useServerQuery.ts. */
const MAX_READ_MS = 65_000;
/** Pages that read nothing and do not change without a server. */
const OWN = ["/sign-in", "/account"];
const PAGES = APP_PAGES.filter((path) => !OWN.includes(path));
/** One path of each page: the others show other tabs of it. */
const FIRST_PAGES = [...new Map(PAGES.toReversed().map((path) => [path.split("?")[0], path])).values()];
const asItems = (paths: readonly string[]) => paths.map((path) => ({ path }));

let purse: Purse;
let browser: Browser;
/** The session and the wallet of a signed-in user. */
let storage: Awaited<ReturnType<BrowserContext["storageState"]>>;

beforeAll(async () => {
  [purse, browser] = await Promise.all([hostPurse({ devChain: true }), launchBrowser()]);
  const note = { text: "Order the beans", ACL: { "*": { read: true } } };
  await rest(purse, "POST", "/classes/Note", note, { useMasterKey: true });
  const { page, close } = await visitUncached(browser);
  await installWallet(page, purse, 1);
  await signInWithWallet(page, purse);
  storage = await page.context().storageState();
  await close();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await purse?.remove();
});

/** Opens a page of a user who is signed in with a wallet that is installed. */
async function asOwner(): Promise<Visit> {
  const visitor = await withoutWallet();
  await installWallet(visitor.page, purse, 1);
  return visitor;
}

/** Opens the same page without the wallet. */
async function withoutWallet(): Promise<Visit> {
  const visitor = await visitUncached(browser, { storageState: storage });
  visitor.page.setDefaultTimeout(40_000);
  return visitor;
}

/** Runs tasks on pages. Contracts are read through the wallet if there is one, whose node stays reachable. */
async function forEachPage<T extends { path: string }, R>(
  items: readonly T[],
  run: (item: T, page: Page, context: BrowserContext) => Promise<R>,
  { concurrency, prepare }: { concurrency?: number; prepare?(visitor: Visit): Promise<void> } = {},
): Promise<R[]> {
  const open = (visitor: () => Promise<Visit>) => async () => {
    const opened = await visitor();
    await prepare?.(opened);
    return opened;
  };
  const isContract = ({ path }: T) => path.startsWith("/contract");
  const others = items.filter((item) => !isContract(item));
  return [
    ...(await forEach(others, open(asOwner), run, concurrency)),
    ...(await forEach(items.filter(isContract), open(withoutWallet), run, concurrency)),
  ];
}

/** Opens a page in a separate context. */
async function asVisitor(run: (page: Page, context: BrowserContext) => Promise<void>): Promise<void> {
  const { page, close } = await asOwner();
  try {
    await run(page, page.context());
  } finally {
    await close();
  }
}

describe("every page while the server and the node are down", () => {
  it("shows errors with a retry button and no empty states, and recovers automatically", async () => {
    const problems = await forEachPage(
      asItems(TRIES_EVERY_PAGE ? PAGES : FIRST_PAGES),
      async ({ path }, page, context) => {
        await disconnectServer(context, purse);
        await page.goto(purse.url + path);
        await page.getByRole("heading", { level: 1 }).first().waitFor();
        return outageProblemsOf(path, page);
      },
      { concurrency: IDLE_PAGES_LIMIT },
    );
    expect(problems.flat()).toEqual([]);
  }, 900_000);

  it("shows errors at a deadline if requests are never answered", async () => {
    const problems = await forEachPage(
      asItems(FIRST_PAGES),
      async ({ path }, page, context) => {
        await hangServer(context, purse);
        await page.goto(purse.url + path);
        await page.getByRole("heading", { level: 1 }).first().waitFor();
        await page.clock.fastForward(MAX_READ_MS);
        return problemsOf(path, page, ({ skeletons, retries }) => skeletons === 0 && retries > 0);
      },
      { prepare: ({ page }) => page.clock.install() },
    );
    expect(problems.flat()).toEqual([]);
  }, 900_000);
});

describe("an open page when the server goes down", () => {
  it("keeps the portfolio with its age, and refreshes it when the server is back", async () => {
    await asVisitor(async (page, context) => {
      await page.goto(`${purse.url}/portfolio`);
      const total = page.getByRole("region", { name: "Total value" });
      const tokens = page.getByRole("region", { name: "Tokens" });
      await tokens.getByText("Purse Token").waitFor();
      await page.getByRole("img", { name: /./ }).or(page.getByRole("slider")).first().waitFor();
      await page.getByRole("region", { name: "Approvals" }).getByText("No open approvals").waitFor();
      const before = await total.locator(".total").innerText();
      const { empty } = await pageState(page);
      await disconnectServer(context, purse);
      await page.getByRole("button", { name: "Refresh" }).click();
      await total.getByText(/^Last updated/).waitFor();
      expect(await total.locator(".total").innerText()).toBe(before);
      await tokens.getByText("Purse Token").waitFor();
      await tokens.getByText(/^Last updated/).waitFor();
      expect((await pageState(page)).empty).toEqual(empty);
      await page.getByRole("banner").getByText("Can't reach the server").waitFor();
      await expectAccessible(page);
      await reconnectServer(context);
      await expect.poll(() => page.getByText(/^Last updated/).count(), { timeout: 40_000 }).toBe(0);
      expect(await page.getByText("Can't reach the server").count()).toBe(0);
    });
  });

  it("keeps the blocks of the explorer, and shows that the chain is unreachable", async () => {
    await asVisitor(async (page, context) => {
      await page.goto(`${purse.url}/explorer`);
      await page.getByText("Synced").waitFor();
      const rows = page.getByRole("region", { name: "Latest blocks" }).getByRole("row");
      await rows.getByRole("link").first().waitFor();
      const before = await rows.count();
      await disconnectServer(context, purse);
      await page.getByText("Unreachable").waitFor();
      await page
        .getByText(/^Last updated/)
        .first()
        .waitFor();
      expect(await rows.count()).toBe(before);
      await reconnectServer(context);
      await page.getByText("Synced").waitFor();
    });
  });

  it.each([
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ])("does not shift its layout when the error appears, at $width pixels", async (viewport) => {
    await asVisitor(async (page, context) => {
      await page.setViewportSize(viewport);
      await page.goto(`${purse.url}/portfolio`);
      const tokens = page.getByRole("region", { name: "Tokens" });
      await tokens.getByText("Purse Token").waitFor();
      await page.waitForLoadState("networkidle");
      const placesOf = () =>
        page.evaluate(() =>
          [...document.querySelectorAll("header, main section, main h1, main .list > li")].map((element) => {
            const { top, left } = element.getBoundingClientRect();
            return [element.tagName, Math.round(top + window.scrollY), Math.round(left)].join(" ");
          }),
        );
      const before = await placesOf();
      await disconnectServer(context, purse);
      await page.getByRole("button", { name: "Refresh" }).click();
      await tokens.getByText(/^Last updated/).waitFor();
      await page
        .getByRole("banner")
        .getByRole("status")
        .filter({ hasText: "Can't reach" })
        .waitFor({ state: "attached" });
      expect(await placesOf()).toEqual(before);
    });
  });
});

/** Whether a page works without a resource, which is not shown in place of data. */
function isBeside(path: string, name: string): boolean {
  // Images have their own fallback; an address is shown instead of its name.
  if (name.endsWith("/image") || name === "functions/resolveAddress") return true;
  // The symbol of a token next to its address.
  if (name === "functions/getTokenMetadata") return /^\/explorer\/(nft|address)\//.test(path);
  // The history of an address also shows whether it is a contract.
  if (name === "node eth_getCode") return path.startsWith("/explorer");
  // The link to swap tokens; the swap page shows the failure.
  if (name === "functions/getPluginSpecs") return path === "/portfolio";
  // The state of the chain: the header shows that it is unreachable.
  return name === "/health" && path.startsWith("/explorer/");
}

/** The empty states of pages that have loaded everything. */
const healthy = new Map<string, string[]>();

describe("every page while one of its resources fails", () => {
  it("shows an error and no empty state", async () => {
    const reads = await forEachPage(asItems(FIRST_PAGES), async ({ path }, page) => {
      const names = new Set<string>();
      const addNames = (request: Request) => {
        for (const name of namesOf(request, purse)) names.add(name);
      };
      page.on("request", addNames);
      await page.goto(purse.url + path);
      await page.waitForLoadState("networkidle");
      page.off("request", addNames);
      const { empty } = await pageState(page);
      healthy.set(path, empty);
      return { path, names: [...names].filter((each) => !isBeside(path, each)) };
    });
    const problems = await forEachPage(failuresToTry(reads), async ({ path, names }, page, context) => {
      const found: string[] = [];
      for (const name of names) {
        await failApi(context, purse, name);
        await page.goto(purse.url + path);
        await page.getByRole("heading", { level: 1 }).first().waitFor();
        found.push(
          ...(await problemsOf(
            `${path} without ${name}`,
            page,
            ({ skeletons, retries, empty }) =>
              skeletons === 0 && retries > 0 && empty.every((title) => healthy.get(path)?.includes(title)),
          )),
        );
        await reconnectServer(context);
      }
      return found;
    });
    expect(problems.flat()).toEqual([]);
  }, 1_800_000);
});
