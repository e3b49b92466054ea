import { readdirSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { installWallet, releaseBrowser, testBrowser, type Visit, visitUncached } from "../support/browser.ts";
import {
  buildCreatedApp,
  type CreatedApp,
  FIXTURE,
  placeCreatedApp,
  servePages,
  typeErrors,
} from "../support/createdApp.ts";
import { devAccount } from "../support/devAccount.ts";
import { hostPurse, type Purse } from "../support/purse.ts";

/*
 * An application of 2022 with the packed packages in place of moralis and react-moralis: React 17, webpack with the
 * rules and compilers of Create React App 5, and an old magic-sdk, which webpack 5 cannot bundle.
 */

let app: CreatedApp;
let purse: Purse;
let browser: Browser;
let site: { origin: string; server: Server };
let visits: Visit[] = [];

beforeAll(async () => {
  app = placeCreatedApp();
  buildCreatedApp(app);
  [purse, browser, site] = await Promise.all([hostPurse({ devChain: true }), testBrowser(), servePages(app)]);
}, 600_000);
afterEach(async () => {
  await Promise.all(visits.map((each) => each.close()));
  visits = [];
});
afterAll(async () => {
  await releaseBrowser(browser);
  site?.server.close();
  await purse?.remove();
  app?.remove();
});

async function openSignedIn(index: number): Promise<Visit & { outside: string[] }> {
  const visitor = await visitUncached(browser);
  const { page } = visitor;
  visits.push(visitor);
  const outside: string[] = [];
  await page.route(/^https?:\/\/(?!127\.0\.0\.1)/, (route) => {
    outside.push(route.request().url());
    return route.fulfill({ json: {} });
  });
  // The announced wallet is also `window.ethereum`, which old code uses.
  await page.addInitScript(() => {
    window.addEventListener("eip6963:announceProvider", (event) => {
      Reflect.set(
        window,
        "ethereum",
        Object.assign(Reflect.get(event, "detail").provider, { isMetaMask: true }),
      );
    });
  });
  await installWallet(page, purse, index);
  await page.goto(
    `${site.origin}/?${new URLSearchParams({ appId: purse.appId, serverUrl: purse.serverUrl })}`,
  );
  await page.getByRole("button", { name: "Authenticate" }).click();
  await page.getByText(`${devAccount(index).address.toLowerCase()} on 0x539 (Local Chain)`).waitFor();
  return { ...visitor, outside };
}

const textOf = (page: Page, id: string) => page.getByTestId(id).textContent();

describe("an application of Create React App 5 on React 17 with the packaged libraries", () => {
  it("resolves builds without newer syntax through the package fields that webpack 4 reads", () => {
    const parser = createRequire(join(FIXTURE, "package.json"))("acorn");
    for (const name of ["@purse/protocol", "@purse/client", "react-moralis", "moralis"]) {
      const home = join(app.folder, "node_modules", name);
      const { main, module } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
      expect(module).toBe(main);
      const folder = join(home, dirname(main));
      for (const file of readdirSync(folder).filter((each) => each.endsWith(".js"))) {
        const newer: string[] = [];
        const onToken = ({ type: { label } }: { type: { label: string } }) => {
          if (label === "?." || label === "??") newer.push(label);
        };
        // Its parser supports the bigints and imports of 2020, but not these operators.
        parser.parse(readFileSync(join(folder, file), "utf8"), {
          ecmaVersion: 2020,
          sourceType: "module",
          onToken,
        });
        expect(newer, file).toEqual([]);
      }
    }
  });

  it("compiles with the types of React 17", () => {
    expect(typeErrors(app)).toBe("");
  });

  it("signs in, shows the wallet, its user and its tokens, stays signed in after a reload, and requests no other hosts", async () => {
    const { page, errors, outside } = await openSignedIn(1);
    await page.getByTestId("balance").getByText(" ETH").waitFor();
    expect(await textOf(page, "native")).toBe("ETH");
    expect(await textOf(page, "enabled")).toBe("true");
    expect(await textOf(page, "members")).toBe("spread");

    // It refetches the user's data and saves it.
    await page.getByLabel("Nickname").fill("Grace");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByTestId("nickname").getByText("Grace").waitFor();
    await page.getByRole("button", { name: "Save", exact: true, disabled: false }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);

    // It lists tokens, calls their contract and transfers some.
    await page.getByRole("list", { name: "Tokens" }).getByRole("listitem").first().waitFor();
    await page.getByTestId("asked").getByText(/^\d+$/).waitFor();
    expect(await textOf(page, "asked")).toBe(await textOf(page, "indexed"));
    const before = await textOf(page, "asked");
    await page.getByRole("button", { name: "Send tokens" }).click();
    await page.getByTestId("sent").getByText("1").waitFor();

    await page.reload();
    await page.getByText(`${devAccount(1).address.toLowerCase()} on 0x539`).waitFor();
    await page.getByTestId("asked").getByText(/^\d+$/).waitFor();
    expect(BigInt((await textOf(page, "asked")) ?? 0)).toBeLessThan(BigInt(before ?? 0));
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("button", { name: "Authenticate" }).waitFor();
    expect(errors).toEqual([]);
    expect(outside).toEqual([]);
  });

  it("shows NFTs with parsed metadata, and returns the metadata as text to callers", async () => {
    const { page, errors } = await openSignedIn(0);
    const list = page.getByRole("list", { name: "NFTs" });
    await list.getByRole("listitem").first().waitFor();
    await page.getByRole("button", { name: "Read names" }).click();
    await page.getByTestId("names").getByText(/\w/).waitFor();
    const [name = ""] = ((await textOf(page, "names")) ?? "").split(",");
    await list.getByText(name).first().waitFor();
    await page.getByRole("button", { name: "Count transactions" }).click();
    await page.getByTestId("transactions").getByText(/^\d+$/).waitFor();
    expect(errors).toEqual([]);
  });
});
