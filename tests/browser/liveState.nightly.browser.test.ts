import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { releaseBrowser, testBrowser, type Visit, visit } from "../support/browser.ts";
import { type PurseProcess, rest, startPurse } from "../support/purse.ts";

let purse: PurseProcess;
let browser: Browser;
let visitor: Visit;
let page: Page;

beforeAll(async () => {
  [purse, browser] = await Promise.all([startPurse(), testBrowser()]);
});
afterAll(async () => {
  await visitor?.close();
  await releaseBrowser(browser);
  await purse?.remove();
});
beforeEach(async () => {
  await visitor?.close();
  visitor = await visit(browser);
  page = visitor.page;
  page.setDefaultTimeout(40_000);
});

const note = (text: string) =>
  rest(purse, "POST", "/classes/Note", { text, ACL: { "*": { read: true } } }, { useMasterKey: true });
const state = (name: string) => page.getByRole("main").getByText(name, { exact: true });

describe("the live indicator", () => {
  it("shows live, reconnecting while the server is down, and live again", async () => {
    await note("Before");
    await page.goto(`${purse.url}/data`);
    await state("Live").waitFor();
    await page.getByRole("button", { name: "Before" }).waitFor();
    await purse.kill();
    await state("Reconnecting").waitFor();
    expect(await state("Live").count()).toBe(0);
    // Loaded data stays on the page.
    await page.getByRole("button", { name: "Before" }).waitFor();
    purse = await startPurse({ dataDir: purse.dataDir, port: purse.port });
    await state("Live").waitFor();
    await note("After");
    await page.getByRole("button", { name: "After" }).waitFor();
  });

  it("is live while the first query runs, and objects created meanwhile appear", async () => {
    await note("Early");
    let held = false;
    await page.route(/\/classes\/Note$/, async (route) => {
      const response = await route.fetch();
      if (!held) {
        held = true;
        await state("Live").waitFor();
        await note("Meanwhile");
      }
      // The page may have canceled this request.
      await route.fulfill({ response }).catch(() => undefined);
    });
    await page.goto(`${purse.url}/data`);
    await page.getByRole("button", { name: "Early" }).first().waitFor();
    await page.getByRole("button", { name: "Meanwhile" }).first().waitFor();
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  it("is offline while the device is offline, and live again afterwards", async () => {
    await page.goto(`${purse.url}/data`);
    await state("Live").waitFor();
    await page.context().setOffline(true);
    await state("Offline").waitFor();
    await page.context().setOffline(false);
    await state("Live").waitFor();
  });

  it("is connecting until the server has confirmed the connection", async () => {
    await page.routeWebSocket(/./, () => undefined);
    await page.goto(`${purse.url}/data`);
    await state("Connecting").waitFor();
    expect(await state("Live").count()).toBe(0);
  });

  it("is not live if the server rejects the subscription", async () => {
    const closed = { classLevelPermissions: { find: {}, get: {}, create: {}, update: {}, delete: {} } };
    await rest(purse, "POST", "/schemas/Closed", closed, { useMasterKey: true });
    await page.goto(`${purse.url}/data?class=Closed`);
    await state("Not live").waitFor();
  });
});
