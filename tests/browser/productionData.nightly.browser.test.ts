import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectNoErrors, releaseBrowser, testBrowser, visit, visitUncached } from "../support/browser.ts";
import type { Purse } from "../support/purse.ts";
import { hostSite } from "../support/site.ts";

/** A swap of the local chain's history, by a router of an exchange. */
const SWAP = "0x2cabeba560b040e4be8614b3f16cd5798d4c2ced1146c655243c022920d85d09";

describe("the explorer of a production server whose data API requires a key", () => {
  let purse: Purse;
  let browser: Browser;
  beforeAll(async () => {
    [purse, browser] = await Promise.all([
      hostSite({ devChain: true, env: { PURSE_ENV: "production" } }),
      testBrowser(),
    ]);
  }, 90_000);
  afterAll(async () => {
    await releaseBrowser(browser);
    await purse?.remove();
  });

  it("loads data for anonymous visitors of its own pages", async () => {
    const visitor = await visit(browser);
    try {
      visitor.page.setDefaultTimeout(30_000);
      const answered = visitor.page.waitForResponse((response) => response.url().endsWith("/server/batch"));
      await visitor.page.goto(`${purse.url}/explorer/tx/${SWAP}`);
      expect(JSON.stringify(await (await answered).json())).toContain('"success"');
      await visitor.page.getByText("Swap", { exact: false }).first().waitFor();
      expectNoErrors(visitor);
    } finally {
      await visitor.close();
    }
  });

  it("rejects requests from pages of other sites", async () => {
    const other = createServer((_request, response) => response.end("<title>Another site</title>"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const visitor = await visitUncached(browser);
    try {
      await visitor.page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
      const status = await visitor.page.evaluate(async (url) => {
        const response = await fetch(url, { method: "POST", body: "{}" });
        return [response.status, (await response.json()).code];
      }, `${purse.serverUrl}/functions/web3ApiVersion`);
      expect(status).toEqual([401, 119]);
    } finally {
      await visitor.close();
      other.close();
    }
  });
});
