import { describe, expect, it } from "vitest";
import { problemsOnPages } from "../support/pageChecks.ts";
import { serveWebApp } from "../support/webApp.ts";

/** A list and a form; `shell.nightly.browser.test.ts` opens all pages. */
const PAGES = ["/", "/send"];

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
});
