import type { BrowserContext, BrowserContextOptions, CDPSession, Page } from "playwright-core";

/** Cookies and local storage that a visit begins with. */
type StoredState = Exclude<NonNullable<BrowserContextOptions["storageState"]>, string>;

/**
 * A browser context for visits one after the other. Its pages share a renderer process, which already has the code of the app:
 * a page takes half of the CPU time of one in a new context. Each visit has pages of its own and begins without cookies and
 * storage.
 */
export class ReusedContext {
  readonly context: BrowserContext;
  /** The origins of the documents that its pages have shown in this visit. */
  readonly #origins = new Set<string>();
  /** Keeps the renderer process while no visit has a page. */
  #keeper: { page: Page; devtools: CDPSession } | undefined;

  constructor(context: BrowserContext) {
    this.context = context;
    context.on("page", (page) =>
      page.on("framenavigated", (frame) => {
        if (frame.url().startsWith("http")) this.#origins.add(new URL(frame.url()).origin);
      }),
    );
  }

  /** Ends a visit; returns whether another one can begin. */
  async clear(): Promise<boolean> {
    try {
      const pages = this.context.pages().filter((page) => page !== this.#keeper?.page);
      const [origin] = this.#origins;
      if (origin !== undefined) this.#keeper ??= await this.#openKeeper(origin);
      if (!this.#keeper) return false;
      await Promise.all(pages.map((page) => page.close()));
      await this.context.unrouteAll();
      // A test that failed may have left its device offline.
      await this.context.setOffline(false);
      await this.context.clearCookies();
      for (const each of this.#origins) {
        await this.#keeper.devtools.send("Storage.clearDataForOrigin", { origin: each, storageTypes: "all" });
      }
      this.#origins.clear();
      return true;
    } catch {
      return false;
    }
  }

  /** Opens the first page of a visit, after storing what it begins with. */
  async open({ cookies, origins }: StoredState = { cookies: [], origins: [] }): Promise<Page> {
    if (cookies.length > 0) await this.context.addCookies(cookies);
    const keeper = this.#keeper?.page;
    for (const { origin, localStorage } of origins) {
      this.#origins.add(origin);
      if (!keeper?.url().startsWith(`${origin}/`)) await keeper?.goto(emptyDocument(origin));
      await keeper?.evaluate((items) => {
        for (const { name, value } of items) window.localStorage.setItem(name, value);
      }, localStorage);
    }
    return this.context.newPage();
  }

  /** A page without scripts. */
  async #openKeeper(origin: string): Promise<{ page: Page; devtools: CDPSession }> {
    const page = await this.context.newPage();
    await page.goto(emptyDocument(origin));
    return { page, devtools: await this.context.newCDPSession(page) };
  }
}

const emptyDocument = (origin: string) => `${origin}/favicon.svg`;
