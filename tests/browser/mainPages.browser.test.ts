import { describe, expect, it } from "vitest";
import { expectNoErrors } from "../support/browser.ts";
import { devAccount } from "../support/devAccount.ts";
import { expectAnnounced, expectFocus, expectSpoken, press, type } from "../support/keyboard.ts";
import { problemsOnPages } from "../support/pageChecks.ts";
import { serveWebApp } from "../support/webApp.ts";

/** `shell.nightly.browser.test.ts` opens all pages. */
const PAGES = ["/", "/sign-in", "/portfolio", "/send", "/explorer", "/data", "/files", "/account"];

const app = serveWebApp();

describe("the main pages of the app", () => {
  it("are accessible, stable, fit phones, zoomed and wide windows, and have no console messages and untranslated texts", async () => {
    const problems = await problemsOnPages({
      url: app.purse.url,
      paths: PAGES,
      openWindow: () => app.openWithWallet(1),
    });
    expect(problems).toEqual([]);
  });

  it("can be used with the keyboard alone: to sign in, to receive, to send coins, and to sign out", async () => {
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
});
