import type { Page } from "playwright-core";
import { createWalletClient, encodeFunctionData, erc20Abi, http } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { expectNoErrors, type Visit, visitUncached } from "../support/browser.ts";
import { devAccount } from "../support/devAccount.ts";
import { expectAnnounced, expectFocus, expectSpoken, press, type } from "../support/keyboard.ts";
import { rendered, watchRequests } from "../support/navigation.ts";
import { tooWideElements } from "../support/pseudoLocale.ts";
import { STUDIO_PASSWORD, setUpCode } from "../support/studio.ts";
import { serveWebApp } from "../support/webApp.ts";

const TOKEN = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
/** A swap of the local chain's history. */
const SWAP = "0x2cabeba560b040e4be8614b3f16cd5798d4c2ced1146c655243c022920d85d09";
const OWNER = devAccount(1);
const OTHER = devAccount(9).address;

const app = serveWebApp();
let visitor: Visit;
let page: Page;

// The journeys follow each other in one page, as those of a user.
beforeAll(async () => {
  visitor = await visitUncached(app.browser);
  page = visitor.page;
  page.setDefaultTimeout(30_000);
  const wallet = createWalletClient({ account: OWNER, transport: http(app.purse.rpcUrl) });
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [OTHER, 5n * 10n ** 18n] });
  await wallet.sendTransaction({ chain: null, to: TOKEN, data });
});

/** Presses the two keys that open a page. */
async function go(key: string, heading: string): Promise<void> {
  await page.keyboard.press("g");
  await page.keyboard.press(key);
  await expectSpoken(page, `heading "${heading}" [level=1]`);
}

const dialog = () => page.locator(".dialog");

describe("with the keyboard and a screen reader, a user of the app", () => {
  it("connects a wallet and signs in", async () => {
    await page.goto(`${app.purse.url}/sign-in`);
    await press(page, "button", /Account 2/);
    await expectSpoken(page, 'button "Sign in with this wallet"');
    await page.keyboard.press("Enter");
    await expectSpoken(page, 'heading "Portfolio" [level=1]');
    // The name that the address has set for itself.
    await page.getByRole("button", { name: "Account menu" }).getByText("alice.eth").waitFor();
  });

  it("reads the portfolio by its headings, and hides dust", async () => {
    const main = page.getByRole("main");
    await main
      .getByRole("region", { name: "Total value" })
      .getByText(/^\$[\d,]+\.\d\d$/)
      .waitFor();
    await main.getByText("Purse Token").first().waitFor();
    const headings = main.getByRole("heading", { level: 2 });
    await expect
      .poll(() => headings.allTextContents())
      .toEqual(["Tokens", "Value history", "NFTs", "Approvals", "History"]);
    await press(page, "switch", "Hide dust", { key: "Space" });
    await expectSpoken(page, 'switch "Hide dust" [checked]');
  });

  it("receives: a dialog with the address takes the focus and gives it back", async () => {
    await press(page, "button", "Receive", { backward: true });
    await dialog().getByRole("img", { name: "QR code of your address" }).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest(".dialog") !== null))
      .toBe(true);
    // The gutter of a classic scrollbar is outside of the backdrop.
    const [gutter, paper] = await page.evaluate(() =>
      [document.documentElement, document.body].map((element) => getComputedStyle(element).backgroundColor),
    );
    expect(gutter).not.toBe(paper);
    await page.keyboard.press("Escape");
    await expectSpoken(page, 'button "Receive"');
  });

  it("sends coins, and hears that they have arrived", async () => {
    await go("s", "Send");
    await type(page, "Recipient", OTHER);
    await type(page, /^Amount/, "0.5");
    await press(page, "button", "Review");
    await page.getByRole("heading", { level: 2, name: "Review" }).waitFor();
    await expectFocus(page);
    // Amounts in the URL have no quotes.
    expect(new URL(page.url()).search).toContain("amount=0.5&");
    await press(page, "button", "Send ETH");
    await page.getByRole("heading", { level: 2, name: "Sent" }).waitFor();
    await expectFocus(page);
    await expectAnnounced(page, "Send 0.5 ETH: confirmed");
  });

  it("revokes an approval", async () => {
    await go("p", "Portfolio");
    const revoke = new RegExp(`^Revoke PURSE for ${OTHER}`, "i");
    await press(page, "link", revoke);
    await expectSpoken(page, 'heading "Revoke approval" [level=1]');
    await press(page, "button", "Revoke");
    await page.getByRole("heading", { level: 2, name: "Sent" }).waitFor();
    await expectAnnounced(page, "Revoke approval of PURSE: confirmed");
    await go("p", "Portfolio");
    await expect.poll(() => page.getByRole("link", { name: revoke }).count()).toBe(0);
  });

  it("finds a transaction in the explorer", async () => {
    await go("e", "Explorer");
    await type(page, /^Search by block/, SWAP, { role: "combobox", backward: true });
    await page.keyboard.press("Enter");
    await expectSpoken(page, 'heading "Transaction" [level=1]');
  });

  it("changes the profile", async () => {
    await go("a", "Account");
    await type(page, "Display name", "Ada");
    await press(page, "button", "Save profile");
    await expectAnnounced(page, "Profile saved");
    await expectSpoken(page, 'button "Save profile"');
    await page.getByRole("button", { name: "Account menu" }).getByText("Ada").waitFor();
  });

  it("signs out", async () => {
    await press(page, "button", "Account menu", { backward: true });
    await page.keyboard.press("End");
    await expectSpoken(page, 'menuitem "Sign out"');
    await page.keyboard.press("Enter");
    await page.getByRole("main").getByRole("link", { name: "Sign in" }).waitFor();
    await expectFocus(page);
    expectNoErrors(visitor);
  });
});

describe("with the keyboard and a screen reader, an operator in the studio", () => {
  it("sets up the studio with its link, whose code leaves the URL, and logs in again", async () => {
    await page.goto(`${app.purse.url}/studio#setup=${await setUpCode(app.purse)}`);
    await type(page, "Username", "ada");
    await type(page, "Password", STUDIO_PASSWORD);
    await page.keyboard.press("Enter");
    const operator = page.getByRole("button", { name: "Operator ada" });
    await operator.waitFor();
    await expectFocus(page);
    await expect.poll(() => page.url()).not.toContain("setup");
    await press(page, "button", "Operator ada", { backward: true });
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await type(page, "Username", "ada");
    await type(page, "Password", STUDIO_PASSWORD);
    await page.keyboard.press("Enter");
    await operator.waitFor();
    await expectFocus(page);
  });

  it("creates a class with a field", async () => {
    await go("c", "Classes");
    await press(page, "button", "Create class");
    await type(page, "Name", "Book", { within: dialog() });
    await page.keyboard.press("Enter");
    await press(page, "button", "Create", { within: dialog() });
    await page.getByRole("heading", { name: "Book", exact: true }).waitFor();
    await dialog().waitFor({ state: "detached" });
    await expectFocus(page);
    await press(page, "button", "Add field");
    await type(page, "Name", "title", { within: dialog() });
    await page.keyboard.press("Enter");
    await dialog().waitFor({ state: "detached" });
    await expectFocus(page);
    await press(page, "button", "Review changes");
    await press(page, "button", "Apply", { within: dialog() });
    await expectAnnounced(page, "Book updated");
    await dialog().waitFor({ state: "detached" });
    await expectFocus(page);
  });

  it("finds the class by its name, adds a row, and deletes it", async () => {
    await page.keyboard.press("Control+k");
    await expectSpoken(page, "combobox");
    await page.keyboard.insertText("boo");
    await page.getByRole("option", { name: /^Book/ }).waitFor();
    await page.keyboard.press("Enter");
    await press(page, "button", "New row");
    await type(page, "title", "Emma", { within: dialog() });
    await press(page, "button", "Create", { within: dialog() });
    await expectAnnounced(page, "Row created");
    await dialog().waitFor({ state: "detached" });
    await expectSpoken(page, 'button "New row"');
    const cell = page.getByRole("gridcell", { name: "Emma" });
    await cell.waitFor();
    const isInGrid = async () => {
      await page.keyboard.press("Tab");
      return page.evaluate(() => document.activeElement?.closest("[role=grid]") !== null);
    };
    await expect.poll(isInGrid, { interval: 1 }).toBe(true);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+Space");
    await page.getByText("1 row selected").waitFor();
    await press(page, "button", "Delete…");
    await type(page, /^Type delete/, "delete", { within: dialog() });
    await press(page, "button", "Delete", { within: dialog() });
    await cell.waitFor({ state: "detached" });
    await dialog().waitFor({ state: "detached" });
    await expectFocus(page);
    await press(page, "button", "Delete now");
    await expectAnnounced(page, "1 row deleted");
    await expectFocus(page);
  });

  it("imports rows", async () => {
    await press(page, "button", "Import", { backward: true });
    await type(page, "Or paste data", "title\nPersuasion\nMiddlemarch\n", { within: dialog() });
    await page.keyboard.press("Tab");
    await press(page, "button", "Validate", { within: dialog() });
    await expectAnnounced(page, "2 rows are valid");
    await press(page, "button", "Import 2 rows", { within: dialog() });
    await expectAnnounced(page, "2 rows imported");
    await expectFocus(page);
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    await expectFocus(page);
    await page.getByRole("gridcell", { name: "Middlemarch" }).waitFor();
  });

  it("creates a role", async () => {
    await go("r", "Roles");
    await press(page, "button", "Create role");
    await type(page, "Name", "Editors", { within: dialog() });
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Editors", exact: true }).waitFor();
    await dialog().waitFor({ state: "detached" });
    await expectFocus(page);
    expectNoErrors(visitor);
  });
});

it("the main pages of the app can be used with the keyboard alone: to sign in, to receive, to send coins, and to sign out", async () => {
  const visitor = await app.open();
  const { page } = visitor;
  await page.goto(`${app.purse.url}/sign-in`);
  await press(page, "button", /Account 2/);
  await expectSpoken(page, 'button "Sign in with this wallet"');
  await page.keyboard.press("Enter");
  await expectSpoken(page, 'heading "Portfolio" [level=1]');

  await press(page, "button", "Receive");
  await page.getByRole("dialog").getByRole("img", { name: "QR code of your address" }).waitFor();
  await page.keyboard.press("Escape");
  await expectSpoken(page, 'button "Receive"');

  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await expectSpoken(page, 'heading "Send" [level=1]');
  await type(page, "Recipient", devAccount(9).address);
  await type(page, /^Amount/, "0.5");
  await press(page, "button", "Review");
  await page.getByRole("heading", { level: 2, name: "Review" }).waitFor();
  await expectFocus(page);
  // The toast disappears after some seconds.
  await Promise.all([
    expectAnnounced(page, "Send 0.5 ETH: confirmed"),
    page.getByRole("heading", { level: 2, name: "Sent" }).waitFor(),
    press(page, "button", "Send ETH"),
  ]);
  await expectFocus(page);

  await press(page, "button", "Account menu", { backward: true });
  await page.keyboard.press("End");
  await expectSpoken(page, 'menuitem "Sign out"');
  await page.keyboard.press("Enter");
  await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();
  await expectFocus(page);
  expectNoErrors(visitor);
});

describe("zoomed to 200 %, with forced colors and reduced motion", () => {
  it.each([
    "/",
    `/portfolio?address=${OWNER.address}`,
    `/explorer/tx/${SWAP}`,
    "/studio/data?class=Book",
    "/studio/permissions",
  ])("%s shows the same texts within the window", async (path) => {
    await page.setViewportSize({ width: 640, height: 400 });
    // Ages stay the same.
    await page.clock.setFixedTime(new Date());
    const requests = watchRequests(page);
    await page.goto(app.purse.url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => page.locator("main .skeleton").count()).toBe(0);
    await requests.settled();
    requests.stop();
    await rendered(page);
    const texts = () => page.evaluate(() => document.body.innerText);
    const shown = await texts();
    await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
    expect(await texts()).toBe(shown);
    expect(await tooWideElements(page)).toEqual([]);
    // Whatever has the focus or is pressed needs an outline or a border, because backgrounds are gone.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    const outline = await page.evaluate(
      () => getComputedStyle(document.activeElement ?? document.body).outlineStyle,
    );
    expect(outline).not.toBe("none");
    expect(
      await page.evaluate(
        () => document.getAnimations().filter(({ playState }) => playState === "running").length,
      ),
    ).toBe(0);
    await page.emulateMedia({ forcedColors: "none" });
  });
});
