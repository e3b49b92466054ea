import type { BrowserContextOptions } from "playwright-core";
import { beforeAll } from "vitest";
import type { Visit } from "./browser.ts";
import type { Purse } from "./purse.ts";
import { hostSite } from "./site.ts";
import { addOperator, openStudio, type StudioClient, setUpStudio } from "./studio.ts";
import { serveAppBy, type WebApp } from "./webApp.ts";

export interface StudioApp extends Pick<WebApp, "purse" | "browser"> {
  /** `ada`, who has set up the studio. */
  readonly owner: StudioClient;
  /** Opens a window, which is closed after the test. */
  openWindow: WebApp["open"];
  /** Opens a page as an operator. */
  open(username: string, path?: string, options?: BrowserContextOptions): Promise<Visit>;
}

/** Serves the studio for the tests of a file, with the editor `edith`, and `guest`, who may only read. */
export function serveStudio(start: () => Promise<Purse> = hostSite): StudioApp {
  const app = serveAppBy(start);
  let owner: StudioClient;
  beforeAll(async () => {
    owner = await setUpStudio(app.purse);
    await addOperator(owner, "edith", "editor");
    await addOperator(owner, "guest", "readOnly");
  });
  return {
    get purse() {
      return app.purse;
    },
    get browser() {
      return app.browser;
    },
    get owner() {
      return owner;
    },
    openWindow: app.open,
    async open(username, path, options) {
      const visitor = await app.open(options);
      await openStudio(visitor.page, app.purse, username, path);
      return visitor;
    },
  };
}
