import { STARTERS, type Starter } from "create-purse-app";
import type { Browser } from "playwright-core";
import { createPublicClient, http, parseEther } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  expectNoErrors,
  installWallet,
  releaseBrowser,
  testBrowser,
  type Visit,
  visitUncached,
} from "../support/browser.ts";
import { devAccount } from "../support/devAccount.ts";
import {
  buildStarter,
  createStarter,
  type RunningStarter,
  type StarterProject,
  startStarter,
} from "../support/starterApp.ts";

/*
 * Each starter as its user gets it: written by the packed program, with the packed packages, started by `npm start`. With
 * PURSE_PROVE_PACKAGES=1 also that of Next.js, and all of them are installed from the registry in an empty folder.
 */
const IS_FULL = process.env.PURSE_PROVE_PACKAGES === "1";
const PROVEN = STARTERS.filter(({ id }) => id !== "node" && (IS_FULL || id !== "nextjs"));

let browser: Browser;
beforeAll(async () => {
  browser = await testBrowser();
});
afterAll(() => releaseBrowser(browser));

describe.each(PROVEN)("the starter $id", (starter) => {
  let project: StarterProject;
  let running: RunningStarter;

  beforeAll(async () => {
    project = createStarter(starter, IS_FULL);
    running = await startStarter(project, starter);
  }, 600_000);
  afterAll(async () => {
    await running?.stop();
    project?.remove();
  });

  it("signs in with wallets, shows notes of others live, and sends coins on the local chain", async () => {
    const [ada, grace] = [devAccount(3).address, devAccount(0).address];
    const withWallet = await openWithWallet(running, starter, 3);
    const withLocalWallet = await openWithLocalWallet(running, starter);

    const { page } = withWallet;
    await withLocalWallet.page.getByRole("textbox", { name: "Text" }).fill("First light");
    await withLocalWallet.page.getByRole("button", { name: "Add" }).click();
    const note = page.getByRole("listitem").filter({ hasText: "First light" });
    await note.waitFor();
    expect(await note.textContent()).toContain(grace.slice(0, 6).toLowerCase());

    const node = createPublicClient({ transport: http(running.rpcUrl) });
    const before = await node.getBalance({ address: grace });
    await page.getByRole("textbox", { name: "To", exact: true }).fill(grace);
    await page.getByLabel("Amount").fill("0.5");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("status").getByText("Transaction confirmed").waitFor();
    expect((await node.getBalance({ address: grace })) - before).toBe(parseEther("0.5"));
    await page.getByText(/^Balance: [\d.]+ ETH$/).waitFor();

    await page.reload();
    await note.waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Sign in with").first().waitFor();
    expect(ada).not.toBe(grace);
    for (const each of [withWallet, withLocalWallet]) {
      expectNoErrors(each);
      await each.close();
    }
  });

  it("is built for production, without the wallet for development", () => {
    const code = buildStarter(project, starter);
    expect(code.includes("Send coins")).toBe(true);
    expect(code.includes("localhost.wallet")).toBe(false);
  });
});

it("the starter node signs in with a key, and prints notes as they are written", {
  timeout: 600_000,
}, async () => {
  const starter = STARTERS.find(({ id }) => id === "node");
  if (!starter) throw new Error("There is no starter node.");
  const project = createStarter(starter, IS_FULL);
  const running = await startStarter(project, starter);
  try {
    const address = devAccount(0).address.toLowerCase();
    await expect.poll(running.output, { timeout: 60_000 }).toContain(`${address}: started at`);
  } finally {
    await running.stop();
    project.remove();
  }
});

/** Opens the app with an installed wallet, and signs in with it. */
async function openWithWallet(
  { origin, rpcUrl }: RunningStarter,
  { id }: Starter,
  index: number,
): Promise<Visit> {
  const visitor = await visitUncached(browser);
  const { page } = visitor;
  await installWallet(page, { rpcUrl }, index);
  if (id === "moralis") {
    // Where old code looks for it.
    await page.addInitScript(() => {
      window.addEventListener("eip6963:announceProvider", (event) => {
        const { provider, info } = Reflect.get(event, "detail");
        if (info.name === "Test Wallet") Reflect.set(window, "ethereum", provider);
      });
    });
  }
  await page.goto(origin);
  await page
    .getByRole("button", { name: id === "moralis" ? "Sign in with MetaMask" : "Test Wallet" })
    .click();
  await page.getByRole("heading", { name: "Notes" }).waitFor();
  return visitor;
}

/** Opens the app without an installed wallet, and signs in with that of the local chain, which is at another port here. */
async function openWithLocalWallet({ origin, rpcUrl }: RunningStarter, { id }: Starter): Promise<Visit> {
  const visitor = await visitUncached(browser);
  const { page } = visitor;
  await page.route(/^http:\/\/127\.0\.0\.1:85\d\d\/$/, async (route) =>
    route.fulfill({ response: await route.fetch({ url: rpcUrl }) }),
  );
  await page.goto(origin);
  await page
    .getByRole("button", { name: id === "moralis" ? "Sign in with MetaMask" : "Local wallet" })
    .click();
  await page.getByRole("heading", { name: "Notes" }).waitFor();
  return visitor;
}
