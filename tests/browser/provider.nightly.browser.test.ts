import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { installWallet, signUpInPage } from "../support/browser.ts";
import { follow, rendered, watchRequests } from "../support/navigation.ts";
import { rest } from "../support/purse.ts";
import { passwordState, walletState } from "../support/signedIn.ts";
import { hostSite } from "../support/site.ts";
import { serveAppBy } from "../support/webApp.ts";

const APP_ID = "an-application-of-its-own";
const PAGES = ["/", "/sign-in", "/account", "/portfolio", "/send", "/notes"];

const app = serveAppBy(async () => ({
  ...(await hostSite({ devChain: true, env: { PURSE_APP_ID: APP_ID } })),
  appId: APP_ID,
}));

async function settle(page: Page, path: string): Promise<void> {
  const requests = watchRequests(page);
  await page.goto(app.purse.url + path);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  await requests.settled();
  await rendered(page);
  requests.stop();
}

/**
 * The headings and buttons of the pages, which are shown one after the other without loading the app anew, each until it has
 * read everything.
 */
async function seen(page: Page, username: string): Promise<string[][]> {
  await page.goto(`${app.purse.url}/design`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const requests = watchRequests(page);
  const all: string[][] = [];
  for (const path of PAGES) {
    await follow(page, path);
    await requests.settled();
    await rendered(page);
    const main = page.getByRole("main");
    const headings = await main.getByRole("heading").allTextContents();
    all.push(headings.map((text) => text.replace(username, "…")));
    all.push(await main.getByRole("button").allTextContents());
  }
  requests.stop();
  return all;
}

describe("the application", () => {
  it("sends requests to the configured server with the configured application ID from every page, and loads its client and all else from there", {
    tags: [
      "0.client-bundled",
      "0.pages-in-provider",
      "1.provider.config-app-id",
      "1.provider.config-server-url",
      "9.app-id-literal",
      "9.server-url-literal",
    ],
  }, async () => {
    const { page } = await app.open();
    const requested: { url: string; body: unknown }[] = [];
    const urls: string[] = [];
    page.on("request", (request) => {
      const url = request.url();
      urls.push(url);
      if (url.startsWith(`${app.purse.serverUrl}/`)) requested.push({ url, body: request.postDataJSON() });
    });
    for (const path of PAGES) {
      requested.length = 0;
      await settle(page, path);
      // Pages without requests for anonymous visitors link to one that has some, within the same provider.
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Data" }).click();
      await expect.poll(() => requested.length, { message: path, timeout: 30_000 }).toBeGreaterThan(0);
      for (const { body } of requested) expect(body).toMatchObject({ _ApplicationId: APP_ID });
    }
    // Balances of development accounts are read from the local chain.
    const own = [app.purse.url, app.purse.rpcUrl, "data:"];
    expect(urls.filter((url) => !own.some((start) => url.startsWith(start)))).toEqual([]);
    expect(urls.some((url) => url.endsWith(".js"))).toBe(true);
    const settings = await (await fetch(`${app.purse.url}/config.json`)).json();
    expect(settings).toMatchObject({ appId: APP_ID, serverUrl: app.purse.serverUrl });
  });

  it("keeps the shell, its root route, while pages change", {
    tags: ["2.shell.route"],
  }, async () => {
    const { page } = await app.open();
    await settle(page, "/");
    const navigation = page.getByRole("navigation", { name: "Pages" });
    await navigation.evaluate((element) => element.setAttribute("data-first", "yes"));
    await navigation.getByRole("link", { name: "Data" }).click();
    await page.getByRole("heading", { name: "Data", level: 1 }).waitFor();
    expect(await navigation.getAttribute("data-first")).toBe("yes");
    await settle(page, "/no-such-page");
  });

  it("shows the same pages and actions to every signed-in user", {
    tags: ["6.app.two-states-only"],
    timeout: 120_000,
  }, async () => {
    const { page: nobody } = await app.open();
    const { page: somebody } = await app.open({ storageState: await passwordState(app.purse, "somebody") });
    const { page: chief } = await app.open({ storageState: await passwordState(app.purse, "chief") });
    const where = `/users?where=${encodeURIComponent('{"username":"chief"}')}`;
    const found = await rest(app.purse, "GET", where, undefined, { useMasterKey: true });
    const [user] = Array.isArray(found.body.results) ? found.body.results : [];
    const role = await rest(
      app.purse,
      "POST",
      "/roles",
      {
        name: "admin",
        ACL: { "*": { read: true } },
        users: {
          __op: "AddRelation",
          objects: [{ __type: "Pointer", className: "_User", objectId: Object(user).objectId }],
        },
      },
      { useMasterKey: true },
    );
    expect(role.status).toBe(201);
    const ordinary = await seen(somebody, "somebody");
    expect(await seen(chief, "chief")).toEqual(ordinary);
    expect(await seen(nobody, "nobody")).not.toEqual(ordinary);
  });
});

describe("two tabs of one browser", () => {
  it("sign out together and disconnect the wallet", async () => {
    const { page: first } = await app.open({ storageState: await walletState(app.purse, 8) });
    await installWallet(first, app.purse, 8);
    const second = await first.context().newPage();
    second.setDefaultTimeout(30_000);
    await settle(second, "/account");
    await second.getByRole("main").getByRole("button", { name: "Sign out" }).waitFor();
    await settle(first, "/account");
    await first.getByRole("main").getByRole("button", { name: "Sign out" }).click();
    await second.getByText("You are not signed in").waitFor();
  });

  it("sign in together", async () => {
    const { page: first } = await app.open();
    const second = await first.context().newPage();
    second.setDefaultTimeout(30_000);
    await settle(second, "/account");
    await second.getByText("You are not signed in").waitFor();
    await signUpInPage(first, app.purse, "tabs");
    await second.getByRole("main").getByRole("button", { name: "Sign out" }).waitFor();
  });
});
