import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { installWallet, releaseBrowser, type TestWallet, testBrowser, type Visit, visit } from "./browser.ts";
import type { Purse } from "./purse.ts";
import { passwordState, walletState } from "./signedIn.ts";
import { hostSite } from "./site.ts";

/** How long a page may take to show something, also on a busy machine. */
const PAGE_TIMEOUT_MS = 60_000;

export interface WebApp {
  /** The server with a local chain, once the tests of the file run. */
  readonly purse: Purse;
  /** Opens a window, which is closed after the test. */
  open(options?: BrowserContextOptions): Promise<Visit>;
  /** Opens a page as a new user with a password. */
  openAs(username: string, path: string): Promise<Visit>;
  /** Opens a window of a user who has signed in with the wallet of a development account. */
  openWithWallet(index: number, options?: BrowserContextOptions): Promise<Visit & { wallet: TestWallet }>;
}

/** Serves the app for the tests of a file. */
export function serveWebApp(): WebApp {
  let purse: Purse;
  let browser: Browser;
  let visits: Visit[] = [];
  beforeAll(async () => {
    [purse, browser] = await Promise.all([hostSite({ devChain: true }), testBrowser()]);
  });
  afterEach(async () => {
    await Promise.all(visits.map((each) => each.close()));
    visits = [];
  });
  afterAll(async () => {
    await releaseBrowser(browser);
    await purse?.remove();
  });

  async function open(options: BrowserContextOptions = {}): Promise<Visit> {
    const visitor = await visit(browser, options);
    visitor.page.setDefaultTimeout(PAGE_TIMEOUT_MS);
    visits.push(visitor);
    return visitor;
  }

  return {
    get purse() {
      return purse;
    },
    open,
    async openAs(username, path) {
      const visitor = await open({ storageState: await passwordState(purse, username) });
      await visitor.page.goto(purse.url + path);
      return visitor;
    },
    async openWithWallet(index, options) {
      const visitor = await open({ ...options, storageState: await walletState(purse, index) });
      return { ...visitor, wallet: await installWallet(visitor.page, purse, index) };
    },
  };
}
