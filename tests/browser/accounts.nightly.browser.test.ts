import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../support/accessibility.ts";
import {
  byName,
  expectNoErrors,
  installAuthenticator,
  installWallet,
  signInWithWallet,
  signUpInPage,
} from "../support/browser.ts";
import { devAccount } from "../support/devAccount.ts";
import { mockMagic } from "../support/magicService.ts";
import { follow, watchRequests } from "../support/navigation.ts";
import { query, rest } from "../support/purse.ts";
import { hasWalletConnect, startRelayWallet } from "../support/relayWallet.ts";
import { PASSWORD, passwordState, walletState } from "../support/signedIn.ts";
import { hostSite } from "../support/site.ts";
import { installSolanaWallet } from "../support/solanaWallet.ts";
import { type Relay, startRelay } from "../support/walletConnectRelay.ts";
import { serveAppBy } from "../support/webApp.ts";

/** Addresses of this domain must be confirmed before their users log in. */
const CONFIRMED_DOMAIN = "confirmed.example.org";
const CONFIG = `
const isConfirmedDomain = ({ object }) => object.get("email")?.endsWith("@${CONFIRMED_DOMAIN}") === true;
export default { verifyUserEmails: isConfirmedDomain, preventLoginWithUnverifiedEmail: isConfirmedDomain };
`;

let relay: Relay;

const app = serveAppBy(async () => {
  relay = await startRelay();
  const config = join(mkdtempSync(join(tmpdir(), "purse-accounts-")), "purse.config.ts");
  writeFileSync(config, CONFIG);
  const env = {
    PURSE_CONFIG: config,
    PURSE_WALLETCONNECT_PROJECT_ID: "a".repeat(32),
    PURSE_WALLETCONNECT_RELAY_URL: relay.url,
    PURSE_WEB3AUTH_CLIENT_ID: "client",
    PURSE_MAGIC_API_KEY: "pk_live_1",
  };
  return hostSite({ devChain: true, env });
});
afterAll(() => relay?.stop());

const PHONE = { viewport: { width: 360, height: 720 } };

/** Returns an unused name. */
function unique(name: string): string {
  return `${name}${Date.now()}`;
}

async function logIn(page: Page, username: string, url = app.purse.url): Promise<void> {
  await page.goto(`${url}/sign-in?by=password&next=/account`);
  await page.getByLabel("Username").fill(username);
  await page.getByRole("textbox", { name: "Password", exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
}

async function asOperator(method: string, path: string, body?: unknown) {
  return (await rest(app.purse, method, path, body, { useMasterKey: true })).body;
}

async function idOf(username: string): Promise<string> {
  const { results } = await asOperator("GET", `/users${query({ where: { username } })}`);
  const [user] = Array.isArray(results) ? results : [];
  return String(Object(user).objectId);
}

async function endSessionsOf(username: string): Promise<void> {
  const user = { __type: "Pointer", className: "_User", objectId: await idOf(username) };
  const { results } = await asOperator("GET", `/sessions${query({ where: { user } })}`);
  for (const session of Array.isArray(results) ? results : [])
    await asOperator("DELETE", `/sessions/${Object(session).objectId}`);
}

/** Returns the link of the latest mail, or an empty string. */
function linkOfMail(): string {
  const outbox = join(app.purse.dataDir, "outbox");
  const [last] = existsSync(outbox) ? readdirSync(outbox).sort().reverse() : [];
  const text = last === undefined ? "" : readFileSync(join(outbox, last), "utf8");
  return /http\S+token=\S+/.exec(text.replaceAll("=\r\n", "").replaceAll("=3D", "="))?.[0] ?? "";
}

/** The name of the user that the page has stored. */
async function currentUsername(page: Page): Promise<string> {
  const names = await page.evaluate(() =>
    Object.entries(localStorage).flatMap(([key, value]) =>
      key.endsWith("/currentUser") ? [String(JSON.parse(value).username)] : [],
    ),
  );
  return names[0] ?? "";
}

/** Ends the session while the user enters a record, and creates it after signing in again by a button of the dialog. */
async function signInAgainBy(page: Page, button: string, text: string): Promise<void> {
  await follow(page, "/data");
  await page.getByRole("button", { name: "New record" }).click();
  await page.getByLabel("text", { exact: true }).fill(text);
  await endSessionsOf(await currentUsername(page));
  await page.getByRole("button", { name: "Create" }).click();
  const dialog = page.getByRole("dialog", { name: "Session expired" });
  await dialog.getByRole("button", { name: button }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await page.getByLabel("text", { exact: true }).inputValue()).toBe(text);
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("button", { name: text, exact: true }).waitFor();
}

describe("signing in", () => {
  it("requires the second factor once it is set up, and accepts a recovery code", async () => {
    const visitor = await app.openAs("factor", "/account");
    const { page } = visitor;
    await page.getByRole("tab", { name: "Sign-in methods" }).click();
    await page.getByRole("button", { name: "Set up" }).click();
    await page.getByRole("img", { name: "QR code" }).waitFor();
    const secret = await page.getByRole("region", { name: "Or enter this key manually" }).innerText();
    const code = new TOTP({ secret: Secret.fromBase32(secret.trim()), period: 30, digits: 6 }).generate();
    await page.getByLabel("Authenticator code").fill(code);
    await page.getByRole("button", { name: "Enable" }).click();
    const codes = await page.getByRole("region", { name: "Recovery codes" }).innerText();
    await expectAccessible(page);
    await page.getByRole("button", { name: "I've saved my recovery codes" }).click();
    await page.getByText("On – code required at sign-in").waitFor();
    // The browser does not store the secret.
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(secret.trim());
    await page.getByRole("main").getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are not signed in").waitFor();
    expectNoErrors(visitor);
    await logIn(page, "factor");
    await page.getByLabel("Authenticator code").fill("000000");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Invalid or already used code").waitFor();
    await page.getByLabel("Authenticator code").fill(codes.trim().split("\n")[0] ?? "");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL(({ pathname }) => pathname === "/account");
  });

  it("signs in with a Solana wallet of the browser, by a message of the server for its address", async () => {
    const visitor = await app.open();
    const { page } = visitor;
    const wallet = await installSolanaWallet(page);
    await page.goto(`${app.purse.url}/sign-in?next=/account`);
    await page.getByRole("button", { name: "Sign in with Solana (Sunny)" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Sign in with Solana (Sunny)" }).click();
    await page.waitForURL(({ pathname }) => pathname === "/account");
    expect(wallet.signed).toEqual([expect.stringContaining("wants you to sign in with your Solana account")]);
    expect(wallet.signed[0]).toContain(wallet.address);
    await page.getByRole("tab", { name: "Sessions" }).click();
    await page.getByText("with Solana wallet").waitFor();
    expectNoErrors(visitor);
    await signInAgainBy(page, "Sign in with Solana (Sunny)", "Kept by Sunny");
  });

  it("creates an account with a passkey and without a password, and signs in with it", async () => {
    const visitor = await app.open();
    const { page } = visitor;
    const site = byName(app.purse);
    const username = unique("keyonly");
    await installAuthenticator(page);
    // Without autofill, which the authenticator would answer immediately.
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    await page.goto(`${site.url}/sign-in?by=password&next=/account`);
    await page.getByRole("button", { name: /Sign up/ }).click();
    await page.getByLabel("Username").fill(username);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create account with a passkey" }).click();
    await page.waitForURL(({ pathname }) => pathname === "/account");
    await page.getByRole("main").getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are not signed in").waitFor();
    await follow(page, "/sign-in?next=/account");
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL(({ pathname }) => pathname === "/account");
    await page.getByText(username).first().waitFor();
    expectNoErrors(visitor);
    await signInAgainBy(page, "Sign in with a passkey", "Kept by a passkey");
  });

  it("adds a passkey, signs in with it, and accepts it as the second factor", async () => {
    const site = byName(app.purse);
    const username = unique("key");
    const visitor = await app.open({ storageState: await passwordState(site, username) });
    const { page } = visitor;
    const signOut = async () => {
      await page.getByRole("main").getByRole("button", { name: "Sign out" }).click();
      await page.getByText("You are not signed in").waitFor();
    };
    await installAuthenticator(page);
    await page.goto(`${site.url}/account`);
    await page.getByRole("tab", { name: "Sign-in methods" }).click();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Laptop");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Passkey added").waitFor();
    await page.getByRole("button", { name: "Rename Laptop" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Old laptop");
    await page.getByRole("button", { name: "Save" }).click();
    const passkeys = page.getByRole("list", { name: "Passkeys" });
    await passkeys.getByText("Old laptop").waitFor();
    await passkeys.getByText("never used").waitFor();
    await expectAccessible(page);
    await signOut();

    // Without autofill, which the authenticator would answer immediately.
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    await page.goto(`${site.url}/sign-in?next=/account`);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL(({ pathname }) => pathname === "/account");
    await page.getByRole("tab", { name: "Sessions" }).click();
    await page.getByText("with passkey").waitFor();

    await page.getByRole("tab", { name: "Sign-in methods" }).click();
    await page.getByRole("button", { name: "Use my passkeys" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "I've saved my recovery codes" }).click();
    await page.getByText("On – code required at sign-in").waitFor();
    await signOut();
    expectNoErrors(visitor);
    await logIn(page, username, site.url);
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.waitForURL(({ pathname }) => pathname === "/account");

    await page.getByRole("tab", { name: "Sign-in methods" }).click();
    await page.getByRole("button", { name: "Remove Old laptop" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("This passkey is the account's second factor").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await page.getByText("Off – password only").waitFor();
  });

  it("signs in again in a dialog when the session has expired, and keeps the input", async () => {
    const { page } = await app.openAs("patient", "/data");
    await page.getByRole("button", { name: "New record" }).click();
    await page.getByLabel("text", { exact: true }).fill("Not lost");
    // The server caches sessions for some seconds, but drops revoked ones immediately.
    await endSessionsOf("patient");
    await page.getByRole("button", { name: "Create" }).click();
    const dialog = page.getByRole("dialog", { name: "Session expired" });
    await dialog.getByRole("textbox", { name: "Password", exact: true }).fill(PASSWORD);
    await dialog.getByRole("button", { name: "Log in", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByLabel("text", { exact: true }).inputValue()).toBe("Not lost");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("button", { name: "Not lost", exact: true }).waitFor();
  });

  it("keeps the user and the page when the wallet declines to sign in again or the dialog is closed", async () => {
    const { page } = await app.open({ storageState: await walletState(app.purse, 2) });
    const wallet = await installWallet(page, app.purse, 2);
    await page.goto(`${app.purse.url}/data`);
    await page.getByRole("button", { name: "New record" }).click();
    await page.getByLabel("text", { exact: true }).fill("Still here");
    await endSessionsOf(await currentUsername(page));
    await page.getByRole("button", { name: "Create" }).click();
    const dialog = page.getByRole("dialog", { name: "Session expired" });
    wallet.declineNext();
    await dialog.getByRole("button", { name: "Sign in with this wallet" }).click();
    await dialog.getByText("Request rejected in wallet").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Close" }).click();
    expect(await page.getByLabel("text", { exact: true }).inputValue()).toBe("Still here");
    await page.getByRole("button", { name: "Create" }).click();
    await dialog.getByRole("button", { name: "Test Wallet" }).click();
    await dialog.getByRole("button", { name: "Sign in with this wallet" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByLabel("text", { exact: true }).inputValue()).toBe("Still here");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("button", { name: "Still here", exact: true }).waitFor();
  });

  it("resets a forgotten password by mail", async () => {
    const visitor = await app.open(PHONE);
    const { page } = visitor;
    await rest(app.purse, "POST", "/users", {
      username: "oblivious",
      password: "gone",
      email: "ann@example.org",
    });
    await page.goto(`${app.purse.url}/sign-in?by=password&next=/account`);
    await page.getByRole("button", { name: "Forgot password?" }).click();
    await page.getByLabel("Email", { exact: true }).fill("nobody");
    await page.getByRole("button", { name: "Send reset link" }).click();
    await page.getByText("Enter your account's email address.").waitFor();
    await page.getByLabel("Email", { exact: true }).fill("ann@example.org");
    await page.getByRole("button", { name: "Send reset link" }).click();
    await page.getByText("Check your email").waitFor();
    await expectAccessible(page);
    await expect.poll(linkOfMail).toMatch(/^http/);
    await page.goto(linkOfMail());
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByLabel("Confirm password").fill("another");
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByText("The passwords do not match.").waitFor();
    await expectAccessible(page);
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByLabel("Confirm password").fill(PASSWORD);
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByRole("link", { name: "Go to the app" }).click();
    await logIn(page, "oblivious");
    await page.waitForURL(({ pathname }) => pathname === "/account");
  });

  it("asks new users to confirm their email address, and logs them in afterwards", async () => {
    const visitor = await app.open(PHONE);
    const { page } = visitor;
    const username = unique("newcomer");
    const email = `${username}@${CONFIRMED_DOMAIN}`;
    await page.goto(`${app.purse.url}/sign-in?by=password&next=/account`);
    await page.getByRole("button", { name: /Sign up/ }).click();
    await page.getByRole("heading", { name: "Sign up" }).waitFor();
    await page.getByText("At least 12 characters are recommended.").waitFor();
    await page.getByLabel("Username").fill(username);
    await page.getByRole("textbox", { name: "Password", exact: true }).fill(PASSWORD);
    await page.getByLabel("Email (optional)").fill(email);
    await page.getByRole("button", { name: "Create account", exact: true }).click();
    await page.getByText("Confirm your email address").waitFor();
    await expectAccessible(page);
    await expect.poll(linkOfMail).toMatch(/verify_email/);
    const first = linkOfMail();
    await page.getByRole("button", { name: "Back to login" }).click();
    await logIn(page, username);
    await page.getByText("Confirm your email address").waitFor();
    await page.getByLabel("Email", { exact: true }).fill(email);
    await page.getByRole("button", { name: "Resend verification email" }).click();
    await page.getByText("Verification email sent").waitFor();
    await expect.poll(linkOfMail).not.toBe(first);
    await page.goto(linkOfMail());
    await logIn(page, username);
    await page.waitForURL(({ pathname }) => pathname === "/account");
  });

  it("links from the mail pages to the app", async () => {
    const { page } = await app.open();
    await page.goto(`${app.purse.serverUrl}/apps/${app.purse.appId}/request_password_reset?token=none`);
    await page.getByText("This link is no longer valid").waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Go to the app" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  it("lists the last used wallet first, and disconnects it without signing out", {
    tags: [
      "1.provider.wallet-connection",
      "4.web3-flag.true-on-connection",
      "4.web3-flag.false-on-deactivate",
    ],
  }, async () => {
    const visitor = await app.open();
    const { page } = visitor;
    await installWallet(page, app.purse, 8, "Field Wallet");
    const requests = watchRequests(page);
    await signInWithWallet(page, app.purse, "Field Wallet");
    // A page without requests, because other pages could send requests with the ended session.
    await follow(page, "/design");
    await requests.settled();
    requests.stop();
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByText("Wallet connected", { exact: true }).waitFor();
    await page.getByRole("menuitem", { name: "Disconnect wallet" }).click();
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByText("No wallet connected").waitFor();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    // Until then, the page would send requests with the session that is about to end.
    await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();
    await page.goto(`${app.purse.url}/sign-in`);
    // The last used wallet is first and labeled.
    await page.getByRole("button", { name: "Field Wallet Recent" }).waitFor();
    await page.getByText("What is a wallet?").click();
    await page.getByText("A home for your keys").waitFor();
    await expectAccessible(page);
    expectNoErrors(visitor);
  });
});

describe("wallets without an extension", () => {
  const isInstalled = hasWalletConnect();

  it("sign in from another device by QR code or link", async () => {
    const visitor = await app.open(PHONE);
    const { page } = visitor;
    const account = devAccount(5);
    const agree = (await isInstalled) ? relayWalletOf(page, account) : installFakeWalletConnect(page, 5);
    const { paired } = await agree;
    await page.goto(`${app.purse.url}/sign-in`);
    await page.getByRole("button", { name: "WalletConnect" }).click();
    await page.getByRole("img", { name: "Wallet QR code" }).waitFor();
    const link = page.getByRole("link", { name: "Open a wallet app" });
    await expectAccessible(page);
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("img", { name: "Wallet QR code" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "WalletConnect" }).click();
    await page.getByRole("img", { name: "Wallet QR code" }).waitFor();
    await paired(String(await link.getAttribute("href")));
    const requests = watchRequests(page);
    await page.getByRole("button", { name: "Sign in with this wallet" }).click();
    await page.waitForURL("**/portfolio");
    const name = await page.evaluate(() => localStorage.getItem("purse/recent-wallet"));
    expect(name).toBe("walletConnect");
    await requests.settled();
    requests.stop();
    expectNoErrors(visitor);
  });

  it("sign in by email", async () => {
    const visitor = await app.open();
    const { page } = visitor;
    await installWallet(page, app.purse, 4);
    const mails = await mockMagic(page, 4);
    await page.goto(`${app.purse.url}/sign-in`);
    await page.getByText("Email wallet (Magic)").click();
    await page.getByLabel("Wallet email").fill("grace");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Enter your email address.").waitFor();
    await page.getByLabel("Wallet email").fill("grace@test.local");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Sign in with this wallet" }).click();
    await page.waitForURL("**/portfolio");
    expect(mails).toEqual(["grace@test.local"]);
  });

  it("explain that their library is not installed, and another one can be chosen", async () => {
    const visitor = await app.open();
    const { page } = visitor;
    await installWallet(page, app.purse, 3);
    await page.goto(`${app.purse.url}/sign-in`);
    await page.getByRole("button", { name: "Social login (Web3Auth)" }).click();
    await page.getByText("This wallet is not available on this server").waitFor();
    await page.getByText(/install @web3auth\/modal and restart/).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Use a different wallet" }).click();
    await page.getByRole("button", { name: "Test Wallet" }).waitFor();
    expectNoErrors(visitor);
  });
});

/** Connects a wallet through the relay, if WalletConnect's own library is part of the app. */
async function relayWalletOf(_page: Page, account: ReturnType<typeof devAccount>) {
  const wallet = await startRelayWallet(relay.url, account);
  return { paired: async (link: string) => void (await wallet.pair(link)) };
}

/** Replaces WalletConnect's library if it is missing: creates links, one of which a test wallet accepts. */
async function installFakeWalletConnect(page: Page, index: number) {
  await installWallet(page, app.purse, index, "Unused", "test.unused");
  await page.addInitScript((bindingName) => {
    let count = 0;
    let take: ((link: string) => void) | undefined;
    const listeners = new Map<string, (value: unknown) => void>();
    const request = async ({ method, params = [] }: { method: string; params?: unknown[] }) => {
      const ask: unknown = Reflect.get(window, bindingName);
      const { result, error } = typeof ask === "function" ? await ask(method, params) : { error: "none" };
      if (error) throw error;
      return result;
    };
    const library = {
      session: null as object | null,
      accounts: [] as string[],
      chainId: 1337,
      on: (event: string, listener: (value: unknown) => void) => listeners.set(event, listener),
      removeListener: (event: string) => listeners.delete(event),
      request,
      async connect() {
        count += 1;
        const link = `wc:${count}@2?relay-protocol=irn&symKey=00`;
        listeners.get("display_uri")?.(link);
        await new Promise<void>((resolve) => {
          take = (given) => given === link && resolve();
        });
        library.accounts = await request({ method: "eth_accounts" });
        library.session = {};
      },
      async disconnect() {
        library.session = null;
      },
    };
    Reflect.set(window, "takeLink", (link: string) => take?.(link));
    Reflect.set(window, "@walletconnect/ethereum-provider", {
      EthereumProvider: { init: async () => library },
    });
  }, `purseTestWallet${index}`);
  return {
    paired: (link: string) => page.evaluate((given) => Reflect.get(window, "takeLink")(given), link),
  };
}

describe("the account page", () => {
  it("saves custom fields, and shows errors next to them", {
    tags: ["1.provider.user-data"],
  }, async () => {
    const visitor = await app.openAs("profiled", "/account", PHONE);
    const { page } = visitor;
    await page.getByText("Additional fields").click();
    await page.getByLabel("Field name").fill("2nd");
    await page.getByRole("button", { name: "Add field" }).click();
    await page.getByText("Names start with a letter").waitFor();
    await page.getByLabel("Field name").fill("hobby");
    await page.getByRole("button", { name: "Add field" }).click();
    await page.getByLabel("hobby").fill("rowing");
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.getByText("Profile saved").waitFor();
    await page.reload();
    await page.getByLabel("hobby").waitFor();
    expect(await page.getByLabel("hobby").inputValue()).toBe("rowing");
    await expectAccessible(page);
    expectNoErrors(visitor);
  });

  it("shows the display name and the picture that the user has chosen", async () => {
    const rdns = "test.purse.named";
    const visitor = await app.open({ storageState: await walletState(app.purse, 9, rdns) });
    const { page } = visitor;
    await installWallet(page, app.purse, 9, "Named Wallet", rdns);
    await page.goto(`${app.purse.url}/portfolio`);
    await page.getByLabel("What should we call you?").fill("Ada");
    await page.getByRole("button", { name: "Set name" }).click();
    await page.getByRole("banner").getByText("Ada", { exact: true }).waitFor();
    await follow(page, "/account");
    await page.getByLabel("Display name").fill("Ada Lovelace");
    await page.getByRole("button", { name: "Save profile" }).click();
    await page.getByText("Profile saved").waitFor();
    await page.reload();
    await page.getByRole("banner").getByText("Ada Lovelace").waitFor();
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menu").getByText("Ada Lovelace").waitFor();
    await page.keyboard.press("Escape");
    // An image in the header, where an icon was drawn.
    const picture = page.getByRole("banner").locator("img.identicon");
    expect(await picture.count()).toBe(0);
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose a picture" }).click();
    const chooser = await choosing;
    await chooser.setFiles({ name: "me.txt", mimeType: "text/plain", buffer: Buffer.from("no image") });
    await page.getByRole("alert").getByText("This file is not an image").waitFor();
    await chooser.setFiles({ name: "me.png", mimeType: "image/png", buffer: await page.screenshot() });
    await page.getByText("Picture saved").waitFor();
    await page.reload();
    await picture.waitFor();
    // The browser has drawn it, cut to a square.
    const size = () =>
      picture.evaluate((image) => [Reflect.get(image, "naturalWidth"), Reflect.get(image, "naturalHeight")]);
    await expect.poll(size).toEqual([256, 256]);
    await page.getByRole("button", { name: "Remove picture" }).click();
    await page.getByText("Picture removed").waitFor();
    await expect.poll(() => picture.count()).toBe(0);
    expectNoErrors(visitor);
  });

  it("links another wallet, sets the primary one, and keeps the last sign-in method", async () => {
    const rdns = "test.purse.first";
    const { page } = await app.open({ storageState: await walletState(app.purse, 6, rdns) });
    await installWallet(page, app.purse, 6, "First Wallet", rdns);
    await installWallet(page, app.purse, 7, "Second Wallet", "test.purse.second");
    await page.goto(`${app.purse.url}/account?tab=security`);
    await page.getByRole("button", { name: "Link another wallet" }).click();
    await page.getByRole("button", { name: "Second Wallet" }).click();
    await page.getByRole("dialog", { name: "Make it your primary wallet?" }).waitFor();
    await page.getByRole("button", { name: "Keep the previous one" }).click();
    const wallets = page.getByRole("list", { name: "Linked wallets" }).getByRole("listitem");
    await expect.poll(() => wallets.count()).toBe(2);
    await page.getByRole("button", { name: "Set as primary" }).click();
    await page.getByText("Primary wallet updated").waitFor();
    await follow(page, "/portfolio");
    const chips = page.getByRole("navigation", { name: "Wallets and watched addresses" });
    await expect.poll(() => chips.getByRole("link").count()).toBe(2);
    await page.getByText(/^All wallets: \$[\d,]+\.\d\d$/).waitFor();
    await chips.getByRole("link").last().click();
    await page.waitForURL(/address=0x/);
    // The page is shown, without a button to watch one's own wallet.
    await expect.poll(() => chips.getByRole("link").last().getAttribute("aria-current")).toBe("page");
    expect(await page.getByRole("button", { name: "Watch", exact: true }).count()).toBe(0);
    await follow(page, "/account?tab=security");
    const unlink = async () => {
      await page.getByRole("button", { name: "Unlink" }).first().click();
      await page.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
    };
    await unlink();
    await page.getByText("Wallet unlinked").waitFor();
    await expect.poll(() => wallets.count()).toBe(1);
    await unlink();
    await page.getByText("This is your last wallet").waitFor();
    await page.getByText("This is the account's only sign-in method").waitFor();
    const { results } = await asOperator(
      "GET",
      `/classes/_EthAddress${query({ where: { objectId: devAccount(6).address.toLowerCase() } })}`,
    );
    const left = await asOperator(
      "GET",
      `/classes/_EthAddress${query({ where: { objectId: devAccount(7).address.toLowerCase() } })}`,
    );
    expect([results, left.results].flat()).toHaveLength(1);
  });

  it("lists sessions by device, revokes others, and lists those that a password change revokes", async () => {
    const one = await app.open();
    const other = await app.open();
    await signUpInPage(one.page, app.purse, "sessions", "/account");
    await logIn(other.page, "sessions");
    await other.page.waitForURL(({ pathname }) => pathname === "/account");
    await one.page.getByRole("tab", { name: "Sign-in methods" }).click();
    await one.page.getByText("1 other session will be signed out").waitFor();
    const ending = one.page.getByRole("list", { name: "Sessions to be revoked" });
    await ending.getByText("Chrome, Linux, with password, last used").waitFor();
    await one.page.getByRole("tab", { name: "Sessions" }).click();
    const list = one.page.getByRole("list", { name: "Sessions" });
    await expect.poll(() => list.getByRole("listitem").count()).toBe(2);
    await list.getByText("Chrome, Linux").first().waitFor();
    await list.getByText("This device").waitFor();
    await list.getByText("active now").waitFor();
    await list.getByText(/^last used/).waitFor();
    const brief = await rest(app.purse, "POST", "/login", { username: "sessions", password: PASSWORD });
    await one.page.reload();
    // The user agent of this process is node.
    await one.page.getByRole("button", { name: "Revoke node" }).click();
    await one.page.getByText("Session revoked").waitFor();
    const ended = { sessionToken: String(brief.body.sessionToken) };
    expect((await rest(app.purse, "GET", "/users/me", undefined, ended)).body.code).toBe(209);
    await one.page.getByRole("button", { name: "Revoke all other sessions" }).click();
    await one.page.getByText("1 session revoked").waitFor();
    await expect.poll(() => list.getByRole("listitem").count()).toBe(1);
    await expectAccessible(one.page);
    await other.page.getByRole("tab", { name: "Sessions" }).click();
    await other.page.getByRole("dialog", { name: "Session expired" }).waitFor();
  });

  it("exports the user's data, and deletes the account after its name was typed", async () => {
    const { page } = await app.openAs("leaving", "/account");
    await page.getByRole("tab", { name: "My data" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export my data" }).click();
    const stream = await (await download).createReadStream();
    const exported = JSON.parse((await stream.toArray()).join(""));
    expect(exported).toMatchObject({ user: { username: "leaving" }, sessions: [{}] });
    expect(JSON.stringify(exported)).not.toMatch(/r:[0-9a-f]{32}/);
    await page.getByRole("button", { name: "Delete my account…" }).click();
    await expectAccessible(page);
    const confirm = page.getByRole("button", { name: "Delete permanently" });
    await expect.poll(() => confirm.isDisabled()).toBe(true);
    await page.getByLabel(/^Type .* to confirm/).fill("leaving");
    await confirm.click();
    await page.getByText("Account deleted").waitFor();
    expect(await idOf("leaving")).toBe("undefined");
  });
});

describe("the files page", () => {
  it("uploads a file and a folder to IPFS with links to gateways, also on a phone", {
    tags: ["1.capability.ipfs-upload"],
  }, async () => {
    const visitor = await app.openAs("planet", "/files", PHONE);
    const { page } = visitor;
    await page.getByRole("switch", { name: "Also pin to IPFS" }).click();
    await page.getByLabel("Files to upload").setInputFiles({
      name: "a.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("in the open"),
    });
    await page.getByRole("button", { name: "a.txt", exact: true }).click();
    await page.getByRole("link", { name: "dweb.link" }).waitFor();
    await page.getByText("Pinned by this server").waitFor();
    const cid = await page.getByRole("region", { name: "Content identifier (CID)" }).innerText();
    const answer = await fetch(`${app.purse.url}/ipfs/${cid.trim()}`);
    expect(await answer.text()).toBe("in the open");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Close" }).click();
    const folder = join(mkdtempSync(join(tmpdir(), "purse-folder-")), "site");
    mkdirSync(join(folder, "css"), { recursive: true });
    writeFileSync(join(folder, "index.html"), "<h1>Hi</h1>");
    writeFileSync(join(folder, "css", "site.css"), "h1 { color: red }");
    await page.getByLabel("Folder to upload").setInputFiles(folder);
    await page.getByRole("button", { name: "site/", exact: true }).click();
    await page.getByText("css/site.css").waitFor();
    const root = await page.getByRole("region", { name: "Content identifier (CID)" }).innerText();
    const style = await fetch(`${app.purse.url}/ipfs/${root.trim()}/css/site.css`);
    expect(await style.text()).toBe("h1 { color: red }");
    expectNoErrors(visitor);
  });

  it("pauses and resumes a large upload, and cancels another", async () => {
    const { page } = await app.openAs("heavy", "/files");
    // Chunks are held until the gate opens.
    const gate = Promise.withResolvers<void>();
    await page.route("**/files/resumable/**", async (route) => {
      await gate.promise;
      await route.continue().catch(() => {});
    });
    await page.getByLabel("Files to upload").setInputFiles({
      name: "large.bin",
      mimeType: "application/octet-stream",
      buffer: Buffer.alloc(5 * 1024 * 1024, 7),
    });
    await page.getByRole("button", { name: "Pause large.bin" }).click();
    await page.getByText("Paused").waitFor();
    gate.resolve();
    await page.getByRole("button", { name: "Resume large.bin" }).click();
    await page.getByRole("button", { name: "large.bin", exact: true }).waitFor();
    await page.getByRole("button", { name: "Dismiss large.bin" }).click();
  });
});

describe("the data page", () => {
  it("shows a conflict instead of overwriting, and lets the user choose", async () => {
    const { page } = await app.openAs("careful", "/data?class=Recipe");
    const id = await idOf("careful");
    const ACL = { "*": { read: true }, [id]: { read: true, write: true } };
    const recipe = await asOperator("POST", "/classes/Recipe", { name: "Soup", serves: 2, ACL });
    await page.getByRole("button", { name: "Soup", exact: true }).click();
    await page.getByLabel("serves").fill("3,5");
    await asOperator("PUT", `/classes/Recipe/${recipe.objectId}`, { serves: 8 });
    await page.getByText("This record was changed by someone else").waitFor();
    const row = page.getByRole("row", { name: /serves/ });
    await row.getByText("8", { exact: true }).waitFor();
    await row.getByText("3.5", { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Keep their version" }).click();
    expect(await page.getByLabel("serves").inputValue()).toBe("8");
    await page.getByLabel("serves").fill("x");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Invalid number").waitFor();
    await page.getByLabel("serves").fill("9");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("dialog", { name: "Recipe record" }).waitFor({ state: "detached" });
    expect(await asOperator("GET", `/classes/Recipe/${recipe.objectId}`)).toMatchObject({ serves: 9 });
  });

  it("offers the classes that the user may find in, with editors for their field types", async () => {
    const harbour = unique("Hamburg");
    await asOperator("POST", "/schemas/Voyage", {
      className: "Voyage",
      fields: {
        harbour: { type: "String" },
        leaves: { type: "Date" },
        ship: { type: "Pointer", targetClass: "Ship" },
        place: { type: "GeoPoint" },
      },
    });
    await asOperator("POST", "/schemas/Manifest", {
      className: "Manifest",
      classLevelPermissions: { find: {}, get: {} },
    });
    await asOperator("POST", "/schemas/Ship", {
      className: "Ship",
      classLevelPermissions: { find: { "*": true }, get: { "*": true } },
    });
    const visitor = await app.openAs(unique("sailor"), "/data");
    const { page } = visitor;
    const classes = page.getByRole("list", { name: "Classes" });
    await classes.getByRole("button", { name: "Voyage" }).click();
    expect(await classes.getByRole("button", { name: "Manifest" }).count()).toBe(0);
    await page.getByRole("button", { name: "New record" }).click();
    await page.getByLabel("harbour").fill(harbour);
    await page.getByLabel("leaves").fill("2026-03-01T10:30");
    expect(await page.getByLabel("ship").inputValue()).toBe("Ship:");
    await page.getByLabel("place").fill("100, 10");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("Enter a latitude (−90 to 90)").waitFor();
    await page.getByLabel("place").fill("53.55, 9.99");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("table", { name: "Voyage records" }).getByText(harbour).waitFor();
    const { results } = await asOperator("GET", `/classes/Voyage${query({ where: { harbour } })}`);
    expect(results).toMatchObject([{ place: { latitude: 53.55 }, leaves: { __type: "Date" } }]);
    await classes.getByRole("button", { name: "Ship" }).click();
    await page.getByText("You can't create records in this class.").waitFor();
    expect(await page.getByRole("button", { name: "New record" }).count()).toBe(0);
    expectNoErrors(visitor);
  });

  it("finds a pointer's record by text, combines conditions with OR, and removes values", async () => {
    const [boat, tour] = [unique("Boat"), unique("Tour")].map((name) => name.replaceAll("-", ""));
    const readable = { find: { "*": true }, get: { "*": true } };
    await asOperator("POST", `/schemas/${boat}`, {
      className: boat,
      fields: { name: { type: "String" } },
      classLevelPermissions: readable,
    });
    const vessel = await asOperator("POST", `/classes/${boat}`, { name: "Andrea Gail" });
    await asOperator("POST", `/schemas/${tour}`, {
      className: tour,
      fields: {
        title: { type: "String" },
        days: { type: "Number" },
        vessel: { type: "Pointer", targetClass: boat },
        place: { type: "GeoPoint" },
      },
    });
    for (const [title, days] of [
      ["North", 1],
      ["South", 9],
      ["West", 3],
    ])
      await asOperator("POST", `/classes/${tour}`, {
        title,
        days,
        ACL: { "*": { read: true, write: true } },
      });
    const visitor = await app.openAs(unique("sailor"), `/data?class=${tour}`);
    const { page } = visitor;
    await page.getByRole("button", { name: "North", exact: true }).click();
    await page.getByTitle("Choose vessel").click();
    const dialog = page.getByRole("dialog").last();
    expect(await dialog.getByLabel("ID", { exact: true }).inputValue()).toBe("");
    await dialog.getByRole("searchbox").fill("GAIL");
    await dialog.getByRole("button", { name: "Andrea Gail" }).click();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Apply" }).click();
    expect(await page.getByLabel("vessel").inputValue()).toBe(vessel.objectId);
    await page.getByTitle("Choose place").click();
    await dialog.getByLabel("Latitude").fill("53.5");
    await dialog.getByLabel("Longitude").fill("9.9");
    await dialog.getByRole("button", { name: "Apply" }).click();
    await page.getByLabel("days").fill("");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const { results } = await asOperator("GET", `/classes/${tour}${query({ where: { title: "North" } })}`);
    expect(results).toMatchObject([
      { vessel: { objectId: vessel.objectId }, place: { latitude: 53.5, longitude: 9.9 } },
    ]);
    expect(results).not.toMatchObject([{ days: expect.anything() }]);
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    const choose = async (label: string, option: string) => {
      await page.getByRole("combobox", { name: label, exact: true }).click();
      await page.getByRole("option", { name: option, exact: true }).click();
    };
    await choose("Field", "vessel");
    await choose("Field of vessel", "name");
    await page.getByLabel("Value", { exact: true }).fill("Andrea Gail");
    await page.getByRole("button", { name: "Add “or” condition" }).click();
    await choose("Field 2", "days");
    await choose("Condition 2", "is at least");
    await page.getByLabel("Value 2").fill("9");
    await page.getByRole("button", { name: "Apply filter" }).click();
    await page.getByRole("button", { name: "West", exact: true }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "North", exact: true }).waitFor();
    await page.getByRole("button", { name: "South", exact: true }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "North", exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "West", exact: true }).count()).toBe(0);
    expectNoErrors(visitor);
  });

  it("shows shared records live, and who has access to them", async () => {
    const guest = unique("guest");
    const visitor = await app.openAs(guest, "/data?class=Letter", PHONE);
    const { page } = visitor;
    const [id, other] = [await idOf(guest), "somebodyElse"];
    const write = { read: true, write: true };
    const send = (text: string, ACL: object) => asOperator("POST", "/classes/Letter", { text, ACL });
    await send("To everyone", { "*": { read: true }, [other]: write });
    await send("Mine alone", { [id]: write });
    await page.getByRole("button", { name: "Mine alone", exact: true }).waitFor();
    await page.getByRole("combobox", { name: "Owner filter" }).click();
    await page.getByRole("option", { name: "Shared with me" }).click();
    await page.getByText("No records have been shared with you.").waitFor();
    await send("For you", { [id]: { read: true }, [other]: write });
    const row = page.getByRole("button", { name: "For you", exact: true });
    await row.waitFor();
    expect(await page.getByRole("button", { name: "To everyone", exact: true }).count()).toBe(0);
    await page.reload();
    await row.click();
    await page.getByRole("dialog").getByText("Read: you, 1 user, write: 1 user").waitFor();
    await expectAccessible(page);
    expectNoErrors(visitor);
  });

  it("keeps class, filters and order in the URL, and can undo a deletion", async () => {
    const name = `sorter-${randomUUID()}`;
    const visitor = await app.openAs(name, "/data?class=Task");
    const { page } = visitor;
    const id = await idOf(name);
    const ACL = { [id]: { read: true, write: true } };
    for (const [title, hours] of [
      ["Paint", 5],
      ["Sand", 2],
    ])
      await asOperator("POST", "/classes/Task", { title, hours, ACL });
    await page.getByRole("button", { name: "Paint", exact: true }).waitFor();
    await page.getByText("Private").first().waitFor();
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("combobox", { name: "Field" }).click();
    await page.getByRole("option", { name: "hours" }).click();
    await page.getByRole("combobox", { name: "Condition" }).click();
    await page.getByRole("option", { name: "greater than" }).click();
    await page.getByLabel("Value").fill("3");
    await page.getByRole("button", { name: "Apply filter" }).click();
    await page.getByRole("button", { name: "Sand", exact: true }).waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("button", { name: "Paint", exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Sand", exact: true }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Delete Paint" }).click();
    await page.getByText("No results").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Paint", exact: true }).waitFor();
    await page.getByRole("button", { name: "Remove filter hours" }).click();
    await page.getByRole("button", { name: "Sand", exact: true }).waitFor();
    expectNoErrors(visitor);
  });
});
