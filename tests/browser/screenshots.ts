/* Writes docs/screenshots: every page, at desktop and phone width, light and dark. `npm run screenshots`. */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { installWallet, launchBrowser, signInWithWallet, visit } from "../support/browser.ts";
import { rest, startPurse } from "../support/purse.ts";
import { shootStudio } from "./studioScreenshots.ts";

const TARGET = resolve(import.meta.dirname, "../../docs/screenshots");
const WIDTHS = [1280, 390];
const THEMES = ["light", "dark"] as const;
const PAGES = ["home", "sign-in", "account", "portfolio", "send", "contract", "notes"];

mkdirSync(TARGET, { recursive: true });
const purse = await startPurse({ devChain: true, env: { PURSE_APP_ID: "my-app" } });
const browser = await launchBrowser();
try {
  for (const [text, done] of [
    ["Order the beans", false],
    ["Pay the roaster 0.4 ETH", true],
    ["Invite Ada to the tasting", false],
  ]) {
    const note = { text, done, author: "grace", ACL: { "*": { read: true } } };
    await rest({ ...purse, appId: "my-app" }, "POST", "/classes/Note", note, { useMasterKey: true });
  }
  for (const width of WIDTHS) {
    for (const theme of THEMES) {
      const { page, close } = await visit(browser, {
        viewport: { width, height: width > 600 ? 800 : 844 },
        colorScheme: theme,
      });
      await installWallet(page, purse, 0, "Field Wallet");
      const shoot = async (name: string) => {
        await page.waitForLoadState("networkidle");
        await page.waitForTimeout(300);
        await page.screenshot({ path: join(TARGET, `${name}-${width}-${theme}.png`) });
        console.log(`${name}-${width}-${theme}.png`);
      };
      await page.goto(`${purse.url}/sign-in`);
      await page.getByRole("button", { name: "Field Wallet" }).waitFor();
      await shoot("sign-in");
      await signInWithWallet(page, purse, "Field Wallet");
      for (const name of PAGES.filter((each) => each !== "sign-in")) {
        await page.goto(`${purse.url}/${name === "home" ? "" : name}`);
        if (name === "portfolio") await page.getByText("Purse Token").waitFor();
        await shoot(name);
      }
      await close();
    }
  }
  await shootStudio(browser, TARGET);
} finally {
  await browser.close();
  await purse.remove();
}
