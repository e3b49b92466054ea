import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { expectNoErrors } from "../support/browser.ts";
import { hostSite } from "../support/site.ts";
import { serveAppBy } from "../support/webApp.ts";

/** A swap of the local chain's history, by a router of an exchange. */
const SWAP = "0x2cabeba560b040e4be8614b3f16cd5798d4c2ced1146c655243c022920d85d09";

describe("the explorer of a production server whose data API requires a key", () => {
  const app = serveAppBy(() => hostSite({ devChain: true, env: { PURSE_ENV: "production" } }));

  it("loads data for anonymous visitors of its own pages", async () => {
    const visitor = await app.open();
    const answered = visitor.page.waitForResponse((response) => response.url().endsWith("/server/batch"));
    await visitor.page.goto(`${app.purse.url}/explorer/tx/${SWAP}`);
    expect(JSON.stringify(await (await answered).json())).toContain('"success"');
    await visitor.page.getByText("Swap", { exact: false }).first().waitFor();
    expectNoErrors(visitor);
  });

  it("rejects requests from pages of other sites", async () => {
    const other = createServer((_request, response) => response.end("<title>Another site</title>"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { page } = await app.openUncached();
    try {
      await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
      const status = await page.evaluate(async (url) => {
        const response = await fetch(url, { method: "POST", body: "{}" });
        return [response.status, (await response.json()).code];
      }, `${app.purse.serverUrl}/functions/web3ApiVersion`);
      expect(status).toEqual([401, 119]);
    } finally {
      other.close();
    }
  });
});
