import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import {
  installWallet,
  releaseBrowser,
  type TestWallet,
  testBrowser,
  type Visit,
  visit,
  visitUncached,
} from "./browser.ts";
import type { Purse } from "./purse.ts";
import { passwordState, walletState } from "./signedIn.ts";
import { hostSite } from "./site.ts";

/** How long a page may take to show something, also on a busy machine. */
const PAGE_TIMEOUT_MS = 60_000;

/** A server and a browser for the tests of a file, which end with it. */
export interface WebApp<P extends Purse = Purse> {
  /** The server, once the tests of the file run. */
  readonly purse: P;
  readonly browser: Browser;
  /** Opens a window, which is closed after the test. */
  open(options?: BrowserContextOptions): Promise<Visit>;
  /** The same with a new browser context, whose pages load without a cache. */
  openUncached(options?: BrowserContextOptions): Promise<Visit>;
  /** Opens a page as a new user with a password. */
  openAs(username: string, path: string, options?: BrowserContextOptions): Promise<Visit>;
  /** Opens a window of a user who has signed in with the wallet of a development account. */
  openWithWallet(index: number, options?: BrowserContextOptions): Promise<Visit & { wallet: TestWallet }>;
}

/** Serves the app with a local chain for the tests of a file. */
export function serveWebApp(): WebApp {
  return serveAppBy(() => hostSite({ devChain: true }));
}

/** Serves the app by a server that `start` starts. */
export function serveAppBy<P extends Purse>(start: () => Promise<P>): WebApp<P> {
  let purse: P;
  let browser: Browser;
  let visits: Visit[] = [];
  beforeAll(async () => {
    [purse, browser] = await Promise.all([start(), testBrowser()]);
  });
  afterEach(async () => {
    await Promise.all(visits.map((each) => each.close()));
    visits = [];
  });
  afterAll(async () => {
    await releaseBrowser(browser);
    await purse?.remove();
  });

  async function opened(opening: Promise<Visit>): Promise<Visit> {
    const visitor = await opening;
    visits.push(visitor);
    visitor.page.setDefaultTimeout(PAGE_TIMEOUT_MS);
    return visitor;
  }
  const open = (options: BrowserContextOptions = {}) => opened(visit(browser, options));

  return {
    get purse() {
      return purse;
    },
    get browser() {
      return browser;
    },
    open,
    openUncached: (options = {}) => opened(visitUncached(browser, options)),
    async openAs(username, path, options) {
      const visitor = await open({ ...options, storageState: await passwordState(purse, username) });
      await visitor.page.goto(purse.url + path);
      return visitor;
    },
    async openWithWallet(index, options) {
      const visitor = await open({ ...options, storageState: await walletState(purse, index) });
      return { ...visitor, wallet: await installWallet(visitor.page, purse, index) };
    },
  };
}
