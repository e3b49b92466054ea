import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { createPublicClient, createWalletClient, http, isHex } from "viem";
import { expect } from "vitest";
import { ensureChromium } from "../../scripts/chromium.mjs";
import { devAccount } from "./devAccount.ts";
import type { Purse } from "./purse.ts";
import { ReusedContext } from "./reusedContext.ts";

const ICON = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg"><rect width="96" height="96" fill="#f60"/></svg>')}`;

/** The features that Playwright disables itself: only the last switch of this name counts. */
const PLAYWRIGHT_DISABLES =
  "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades," +
  "HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning," +
  "AvoidCorsURLLoaderRestartOnRedirect,TcpPortRandomizationWin,OptimizationHints,NetworkTimeServiceQuerying," +
  "AimEnabled,PreconnectToSearch";
/** Address bar pages, which would start a process for each window. */
const ADDRESS_BAR = "WebUIOmniboxPopup,WebUIOmniboxAimPopup";

/** Launches the tests' browser, which is installed if it is missing, without background traffic. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: ensureChromium(),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      // For pages of a context that are visited one after the other: see reusedContext.ts.
      "--process-per-site",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--disable-features=${PLAYWRIGHT_DISABLES},${ADDRESS_BAR}`,
    ],
  });
}

/** The browser of this process. */
let shared: Browser | undefined;

/**
 * The browser of the test files that run in this process one after the other, launched by the first of them. Each file ends
 * with `releaseBrowser`.
 */
export async function testBrowser(): Promise<Browser> {
  if (!shared?.isConnected()) shared = await launchBrowser();
  return shared;
}

export interface Visit {
  page: Page;
  /** Console and script errors of the page so far. */
  errors: string[];
  /** Console warnings of the page so far. */
  warnings: string[];
  close(): Promise<void>;
}

const DESKTOP = { width: 1280, height: 800 };
/** The contexts of earlier visits for the next ones, by browser and options. */
const idleContexts = new WeakMap<Browser, Map<string, ReusedContext>>();
/** The key of visits without options. */
const WITHOUT_OPTIONS = JSON.stringify({});

/** Ends all that a test file has opened; the context of visits without options stays for the next file. */
export async function releaseBrowser(browser: Browser | undefined): Promise<void> {
  if (!browser) return;
  const kept = idleContexts.get(browser)?.get(WITHOUT_OPTIONS);
  idleContexts.set(browser, new Map(kept && [[WITHOUT_OPTIONS, kept]]));
  const ended = browser.contexts().filter((context) => context !== kept?.context);
  await Promise.all(ended.map((context) => context.close()));
}

/**
 * A visitor without cookies and storage; unless options say otherwise one who prefers reduced motion, because animations of
 * pages that wait would be drawn without a GPU, sixty times a second. Visits with the same options, except for the viewport and
 * stored state, have the same browser context one after the other; concurrent ones have separate contexts.
 */
export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const { viewport = DESKTOP, storageState, ...rest } = options;
  if (rest.serviceWorkers === "allow" || viewport === null || typeof storageState === "string") {
    return visitUncached(browser, options);
  }
  const idle = idleContexts.get(browser) ?? new Map<string, ReusedContext>();
  idleContexts.set(browser, idle);
  const key = JSON.stringify(rest);
  const earlier = idle.get(key);
  idle.delete(key);
  const visited = earlier ?? new ReusedContext(await newContext(browser, { ...rest, storageState }));
  const page = await visited.open(earlier && storageState);
  if (viewport.width !== DESKTOP.width || viewport.height !== DESKTOP.height) {
    await page.setViewportSize(viewport);
  }
  const close = async () => {
    // Another visit may have ended at the same time.
    const isCleared = !idle.has(key) && (await visited.clear());
    if (isCleared && !idle.has(key)) idle.set(key, visited);
    else await visited.context.close();
  };
  let closed: Promise<void> | undefined;
  return {
    ...watch(page),
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** A visitor with a new browser context, whose pages load without a cache. */
export async function visitUncached(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await newContext(browser, options);
  return { ...watch(await context.newPage()), close: () => context.close() };
}

function newContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  return browser.newContext({
    viewport: DESKTOP,
    reducedMotion: "reduce",
    // Requests that pass a service worker cannot be delayed or refused by tests.
    serviceWorkers: "block",
    ...options,
  });
}

/** A warning about code that a busy machine has not run some seconds after it was loaded. */
const PRELOAD_WARNING = /preload/;

function watch(page: Page): Pick<Visit, "page" | "errors" | "warnings"> {
  const errors: string[] = [];
  const warnings: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
    if (message.type() === "warning" && !PRELOAD_WARNING.test(message.text())) warnings.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  return { page, errors, warnings };
}

/** Controls a wallet in a page. */
export interface TestWallet {
  /** Rejects the next request like a user (4001). */
  declineNext(): void;
  /** The requested methods. */
  readonly requestedMethods: string[];
  /** Sets the reported chain (hex) until the next switch request. */
  setChain(chainId: string): void;
  /** Answers requests of a method in place of the node. */
  answer(method: string, handler: (params: unknown[]) => Promise<unknown>): void;
  /** Emits an event in the page (EIP-1193), as `accountsChanged` without accounts for a locked wallet. */
  emit(event: string, payload: unknown): Promise<void>;
}

/**
 * Installs a wallet that announces itself by EIP-6963 into a page: with a real key, which signs every
 * request, and the local chain.
 */
export async function installWallet(
  page: Page,
  purse: Pick<Purse, "rpcUrl">,
  index = 0,
  name = "Test Wallet",
  rdns = "test.purse.wallet",
  /** Nodes of other chains, by chain id in hex. */
  chains: Readonly<Record<string, string>> = {},
): Promise<TestWallet> {
  const account = devAccount(index);
  const nodeAt = (url: string) => {
    const transport = http(url);
    return {
      node: createPublicClient({ transport }),
      wallet: createWalletClient({ account, transport }),
    };
  };
  const home = nodeAt(purse.rpcUrl);
  const others = new Map(Object.entries(chains).map(([chainId, url]) => [chainId, nodeAt(url)]));
  const requestedMethods: string[] = [];
  const bindingName = `purseTestWallet${index}`;
  let declinesNext = false;
  let reportedChainId: string | undefined;
  const handlers = new Map<string, (params: unknown[]) => Promise<unknown>>();

  async function respond(method: string, params: unknown[]): Promise<unknown> {
    requestedMethods.push(method);
    const needsApproval = ["eth_requestAccounts", "personal_sign", "eth_sendTransaction"].includes(method);
    if (needsApproval && declinesNext) {
      declinesNext = false;
      return { error: { code: 4001, message: "User rejected the request." } };
    }
    const handler = handlers.get(method);
    if (!handler) return { result: await execute(method, params) };
    try {
      return { result: await handler(params) };
    } catch (error) {
      const { code = -32603, message } = Object(error);
      return { error: { code, message } };
    }
  }

  async function execute(method: string, params: unknown[]): Promise<unknown> {
    const [first] = params;
    const { node, wallet } = others.get(reportedChainId ?? "") ?? home;
    switch (method) {
      case "eth_requestAccounts":
      case "eth_accounts":
        return [account.address];
      case "eth_chainId":
        return reportedChainId ?? node.transport.request({ method });
      case "wallet_switchEthereumChain":
        reportedChainId = others.has(Object(first).chainId) ? Object(first).chainId : undefined;
        return null;
      case "personal_sign":
        return isHex(first) ? account.signMessage({ message: { raw: first } }) : undefined;
      case "eth_sendTransaction": {
        const { to, value, data, nonce, maxFeePerGas, maxPriorityFeePerGas } = Object(first);
        return wallet.sendTransaction({
          chain: null,
          to,
          value: BigInt(value ?? 0),
          data,
          ...(nonce !== undefined && { nonce: Number(nonce) }),
          ...(maxFeePerGas !== undefined && {
            maxFeePerGas: BigInt(maxFeePerGas),
            maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas ?? 0),
          }),
        });
      }
      default: {
        const request: { method: string; params: unknown[] } = { method, params };
        return node.transport.request(request);
      }
    }
  }

  await page.exposeFunction(bindingName, respond);
  await page.addInitScript(
    ([walletName, icon, rdns, bindingName]) => {
      const listeners = new Map<string, Set<(payload: unknown) => void>>();
      Reflect.set(window, `${bindingName}Emit`, (event: string, payload: unknown) => {
        for (const listener of listeners.get(event) ?? []) listener(payload);
      });
      const provider = {
        on(event: string, listener: (payload: unknown) => void) {
          listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
        },
        removeListener(event: string, listener: (payload: unknown) => void) {
          listeners.get(event)?.delete(listener);
        },
        async request({ method, params = [] }: { method: string; params?: unknown[] }) {
          const callBinding: unknown = Reflect.get(window, bindingName);
          if (typeof callBinding !== "function") throw new Error("no wallet");
          const { result, error } = await callBinding(method, params);
          if (error) throw Object.assign(new Error(error.message), { code: error.code });
          return result;
        },
      };
      const info = { uuid: crypto.randomUUID(), name: walletName, icon, rdns };
      const announce = () =>
        window.dispatchEvent(
          new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }),
        );
      window.addEventListener("eip6963:requestProvider", announce);
      announce();
    },
    [name, ICON, rdns, bindingName] as const,
  );
  return {
    requestedMethods,
    declineNext() {
      declinesNext = true;
    },
    answer(method, handler) {
      handlers.set(method, handler);
    },
    setChain(chainId) {
      reportedChainId = chainId;
    },
    async emit(event, payload) {
      await page.evaluate(([bindingName, ...args]) => Reflect.get(window, `${bindingName}Emit`)(...args), [
        bindingName,
        event,
        payload,
      ] as const);
    },
  };
}

/** Signs in with the announced wallet on the sign-in page. */
export async function signInWithWallet(page: Page, purse: Purse, name = "Test Wallet"): Promise<void> {
  await page.goto(`${purse.url}/sign-in`);
  await page.getByRole("button", { name }).click();
  await page.getByRole("button", { name: "Sign in with this wallet" }).click();
  await page.waitForURL("**/portfolio");
}

/** Signs up a new user with the password form. */
export async function signUpInPage(
  page: Page,
  purse: Purse,
  username: string,
  next = "/data",
): Promise<void> {
  await page.goto(`${purse.url}/sign-in?next=${encodeURIComponent(next)}`);
  await page.getByRole("tab", { name: "Password" }).click();
  await page.getByRole("button", { name: /Sign up/ }).click();
  await page.getByLabel("Username").fill(username);
  await page.getByRole("textbox", { name: "Password", exact: true }).fill("correct horse battery");
  await page.getByRole("button", { name: "Create account", exact: true }).click();
  await page.waitForURL(`**${next}`);
}

export function expectNoErrors({ errors }: Visit): void {
  expect(errors).toEqual([]);
}

/** Expects that the console of a page is empty. */
export function expectSilent({ errors, warnings }: Visit): void {
  expect([...errors, ...warnings]).toEqual([]);
}

/**
 * Gives a page a platform authenticator, which creates and uses passkeys at once as if its user had confirmed. Browsers
 * refuse passkeys on pages with an IP address.
 */
export async function installAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** The same server by a name, for what browsers refuse on pages with an IP address. */
export function byName<T extends { url: string }>(server: T): T {
  return { ...server, url: server.url.replace("127.0.0.1", "localhost") };
}
