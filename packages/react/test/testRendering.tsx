import type { Eip1193Provider } from "@purse/client";
import { deactivateWeb3, injectedWallets, User } from "@purse/client";
import { cleanup, configure, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { MoralisProvider, type MoralisProviderProps } from "../src/MoralisProvider.ts";
import { useMoralis } from "../src/useMoralis.ts";
import { startTestServer, type TestServer } from "./testServer.ts";

export const ADA = {
  objectId: "u1",
  username: "ada",
  sessionToken: "r:1",
  createdAt: "2026-01-01T00:00:00.000Z",
};
export const ACCOUNT = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

/** A server for the tests of a file, reset before each; no user is signed in and no wallet is connected. */
export function setUpTestServer(): { server: TestServer } {
  // A long timeout for slow machines; StrictMode mounts everything twice.
  configure({ asyncUtilTimeout: 15_000, reactStrictMode: true });
  const current: { server?: TestServer } = {};
  beforeAll(async () => {
    current.server = await startTestServer();
  });
  beforeEach(() => {
    current.server?.reset();
    localStorage.clear();
    current.server?.on("POST login", { body: ADA });
    current.server?.on("POST functions/getPluginSpecs", { body: { result: [] } });
  });
  afterEach(async () => {
    cleanup();
    await deactivateWeb3();
    await User.logOut().catch(() => undefined);
    delete window.ethereum;
  });
  afterAll(() => current.server?.stop());
  return {
    get server() {
      if (!current.server) throw new Error("The server runs only during tests");
      return current.server;
    },
  };
}

declare global {
  interface Window {
    ethereum?: unknown;
  }
}

/** Renders a hook in a provider in StrictMode, and waits until the client is ready. */
export async function renderReady<R>(
  server: TestServer,
  hook: () => R,
  props: Partial<MoralisProviderProps> = {},
) {
  const view = renderInProvider(server, () => ({ hook: hook(), ready: useMoralis().isInitialized }), props);
  await waitFor(() => expect(view.result.current.ready).toBe(true));
  return {
    ...view,
    get current(): R {
      return view.result.current.hook;
    },
  };
}

export function renderInProvider<R>(
  server: TestServer,
  hook: () => R,
  props: Partial<MoralisProviderProps> = {},
) {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <MoralisProvider appId="app" serverUrl={server.url} plugins={[]} {...props}>
      {children}
    </MoralisProvider>
  );
  return renderHook(hook, { wrapper });
}

export type WalletAnswers = Record<string, (params: readonly unknown[]) => unknown>;

export interface TestProvider extends Eip1193Provider {
  emit(event: string, value: unknown): void;
  listeners(event: string): number;
  requestedMethods: string[];
}

/** Installs a wallet as `window.ethereum`; `answers` by method. */
export function installEthereum(answers: WalletAnswers = {}): TestProvider {
  const provider = testProvider(answers);
  window.ethereum = provider;
  return provider;
}

/** Announces a wallet (EIP-6963). */
export function announceWallet(rdns: string, name: string, answers: WalletAnswers = {}): TestProvider {
  const provider = testProvider(answers);
  injectedWallets.get();
  const detail = { info: { uuid: `${rdns}-${crypto.randomUUID()}`, name, icon: "", rdns }, provider };
  window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  return provider;
}

function testProvider(answers: WalletAnswers): TestProvider {
  const listeners = new Map<string, Set<(value: never) => void>>();
  const requestedMethods: string[] = [];
  const defaults: WalletAnswers = {
    eth_requestAccounts: () => [ACCOUNT],
    eth_accounts: () => [ACCOUNT],
    eth_chainId: () => "0x1",
    personal_sign: () => "0xsigned",
  };
  return {
    requestedMethods,
    async request({ method, params = [] }) {
      requestedMethods.push(method);
      const answer = answers[method] ?? defaults[method];
      if (!answer) throw new Error(`The wallet has no ${method}`);
      return answer(Array.isArray(params) ? params : [params]);
    },
    on(event: string, listener: (value: never) => void) {
      const known = listeners.get(event) ?? new Set();
      listeners.set(event, known.add(listener));
    },
    removeListener: (event: string, listener: (value: never) => void) =>
      listeners.get(event)?.delete(listener),
    emit(event, value) {
      for (const listener of listeners.get(event) ?? []) Reflect.apply(listener, undefined, [value]);
    },
    listeners: (event) => listeners.get(event)?.size ?? 0,
  };
}
