/*
 * Writes docs/screenshots: every page of the app and every page of the studio, at desktop and phone width, light and
 * dark. `npm run screenshots`; `-- app` or `-- studio` for one of the two.
 */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { installWallet, launchBrowser, signInWithWallet, visit } from "../support/browser.ts";
import { savePicture } from "../support/picture.ts";
import { rest, startPurse } from "../support/purse.ts";
import { shootStudio } from "./studioScreenshots.ts";

const TARGET = resolve(import.meta.dirname, "../../docs/screenshots");
const WIDTHS = [1280, 390];
const THEMES = ["light", "dark"] as const;
const TOKEN = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const COLLECTION = "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512";
const RECIPIENT = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
/** Pages of a user who is signed in with a wallet, by the name of their screenshot. */
const PAGES = {
  home: "/",
  account: "/account",
  "account-security": "/account?tab=security",
  "account-sessions": "/account?tab=sessions",
  portfolio: "/portfolio",
  send: "/send",
  swap: "/swap",
  "send-review": `/send?to=${RECIPIENT}&amount=0.25&step=review`,
  contract: `/contract?address=${TOKEN}&fn=${encodeURIComponent("balanceOf(address)")}`,
  data: "/data",
  files: "/files",
  explorer: "/explorer",
  "explorer-block": "/explorer/block/59",
  // A swap of the local chain's history.
  "explorer-tx": "/explorer/tx/0x2cabeba560b040e4be8614b3f16cd5798d4c2ced1146c655243c022920d85d09",
  "explorer-address": "/explorer/address/0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  "explorer-token": `/explorer/token/${TOKEN}?tab=price`,
  "explorer-collection": `/explorer/nft/${COLLECTION}`,
  "explorer-nft": `/explorer/nft/${COLLECTION}/1`,
  design: "/design",
} as const;

const [only] = process.argv.slice(2);
mkdirSync(TARGET, { recursive: true });
const browser = await launchBrowser();
try {
  if (only !== "studio") await shootApp();
  if (only !== "app") await shootStudio(browser, TARGET);
} finally {
  await browser.close();
}

async function shootApp(): Promise<void> {
  const purse = await startPurse({ devChain: true, env: { PURSE_APP_ID: "my-app" } });
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
        const shoot = (name: string) => shootPage(page, `${name}-${width}-${theme}`);
        await page.goto(`${purse.url}/sign-in`);
        await page.getByRole("button", { name: "Field Wallet" }).waitFor();
        await shoot("sign-in");
        await signInWithWallet(page, purse, "Field Wallet");
        for (const [name, path] of Object.entries(PAGES)) {
          await page.goto(purse.url + path);
          await page.getByRole("heading").first().waitFor();
          if (name === "portfolio") await page.getByText("Purse Token").waitFor();
          await shoot(name);
        }
        await page.goto(purse.url);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.keyboard.press("Control+k");
        await page.getByRole("combobox", { name: "Search pages" }).fill("s");
        await shoot("commands");
        await close();
      }
    }
    const german = await visit(browser, { locale: "de-DE", viewport: { width: 1280, height: 800 } });
    await german.page.goto(purse.url);
    await german.page.getByText("Läuft").waitFor();
    await shootPage(german.page, "home-german-1280-light");
    await german.close();
  } finally {
    await purse.remove();
  }
}

async function shootPage(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await page.waitForLoadState("networkidle");
  // Loading pages show placeholders; only the design page always shows one.
  await page.waitForFunction(
    () => location.pathname === "/design" || document.querySelector(".skeleton") === null,
  );
  await page.waitForTimeout(300);
  await savePicture(page, join(TARGET, `${name}.webp`));
  console.log(`${name}.webp`);
}
