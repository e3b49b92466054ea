import { Moralis, User } from "@purse/client";
import { act, render, waitFor } from "@testing-library/react";
import { StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { describe, expect, it, vi } from "vitest";
import {
  ACCOUNT,
  ADA,
  installEthereum,
  renderInProvider,
  renderReady,
  setUpTestServer,
} from "../test/testRendering.tsx";
import { MoralisProvider, useMoralis, useMoralisQuery } from "./index.ts";

const test = setUpTestServer();

describe("MoralisProvider", () => {
  it.each([
    ["appId", { serverUrl: "http://127.0.0.1" }, 'Provide a "appId" provided to <MoralisProvider>'],
    ["serverUrl", { appId: "app" }, 'Provide a "serverUrl" provided to <MoralisProvider>'],
  ])(
    "requires %s on render",
    { tags: ["1.provider.requires-app-id", "1.provider.requires-server-url"] },
    (_name, props, message) => {
      const silence = vi.spyOn(console, "error").mockImplementation(() => {});
      expect(() => render(<MoralisProvider {...props}>page</MoralisProvider>)).toThrow(message);
      silence.mockRestore();
    },
  );

  it.each(["appId", "serverUrl"])("requires %s at the latest in initialize()", (name) => {
    const given = { appId: "app", serverUrl: test.server.url, [name]: undefined };
    const { result } = renderInProvider(test.server, useMoralis, { ...given, initializeOnMount: false });
    expect(() => result.current.initialize()).toThrow(
      `No ${name} is provided. Please provide an ${name} to the Moralis.Provider or as argument in initialize()`,
    );
  });
});

describe("the initialization", () => {
  it("ends after the server's plugins have been loaded", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const body = { result: [{ name: "oneInch", functions: ["quote"] }] };
    test.server.on("POST functions/getPluginSpecs", { body, waitFor: promise });
    const { result } = renderInProvider(test.server, useMoralis, { plugins: undefined });
    expect(result.current).toMatchObject({ isInitialized: false, isInitializing: true });
    await waitFor(() => expect(test.server.calls).toContain("POST functions/getPluginSpecs"));
    expect(result.current.isInitialized).toBe(false);
    resolve();
    await waitFor(() => expect(result.current.isInitialized).toBe(true));
    expect(result.current.isInitializing).toBe(false);
    expect(Object.keys(result.current.Moralis.Plugins)).toEqual(["oneInch"]);
    expect(test.server.calls).toEqual(["POST functions/getPluginSpecs"]);
  });

  it("reports a failure, and can be repeated", async () => {
    test.server.on("POST functions/getPluginSpecs", { status: 403, body: { code: 119, error: "no" } });
    const { result } = renderInProvider(test.server, useMoralis, { plugins: undefined });
    await waitFor(() => expect(result.current.initializeError).toMatchObject({ code: 119 }));
    expect(result.current).toMatchObject({ isInitialized: false, isInitializing: false });
    test.server.on("POST functions/getPluginSpecs", { body: { result: [] } });
    act(() => result.current.initialize());
    await waitFor(() => expect(result.current).toMatchObject({ isInitialized: true, initializeError: null }));
  });

  it("restores the session, also if it is started later", async () => {
    const first = await renderReady(test.server, useMoralis);
    await act(async () => void (await first.current.login("ada", "secret")));
    first.unmount();
    const { result } = renderInProvider(test.server, useMoralis, {
      appId: undefined,
      serverUrl: undefined,
      initializeOnMount: false,
    });
    expect(result.current).toMatchObject({
      isInitialized: false,
      isInitializing: false,
      isAuthUndefined: true,
    });
    act(() => result.current.initialize({ appId: "app", serverUrl: test.server.url }));
    await waitFor(() => expect(result.current.isAuthenticated).toBe(true));
    expect(result.current.user?.get("username")).toBe("ada");
    expect(result.current).toMatchObject({ appId: "app", serverUrl: test.server.url });
  });

  it("uses the props of the first render, and the given client", async () => {
    const other: typeof Moralis = Object.create(Moralis);
    const getMoralis = vi.fn(() => other);
    const { result, rerender } = await renderReady(test.server, useMoralis, { getMoralis });
    rerender();
    expect(result.current.hook.Moralis).toBe(other);
    expect(result.current.hook.environment).toBe("browser");
  });
});

describe("components below the provider", () => {
  it("have access to the user, their data and the wallet", {
    tags: ["1.provider.authentication", "1.provider.user-data", "1.provider.wallet-connection"],
  }, async () => {
    installEthereum();
    const view = await renderReady(test.server, useMoralis);
    await act(async () => void (await view.current.login("ada", "secret")));
    await act(async () => void (await view.current.enableWeb3()));
    expect(view.current).toMatchObject({ isAuthenticated: true, isWeb3Enabled: true, account: ACCOUNT });
    expect(view.current.user?.get("username")).toBe(ADA.username);
  });

  it("render on a server, without window, wallet or requests", () => {
    function Page() {
      const { isInitialized, isAuthUndefined } = useMoralis();
      const { isLoading } = useMoralisQuery("Note");
      return <p>{JSON.stringify({ isInitialized, isAuthUndefined, isLoading })}</p>;
    }
    const html = renderToString(
      <MoralisProvider appId="app" serverUrl={test.server.url}>
        <Page />
      </MoralisProvider>,
    ).replaceAll("&quot;", '"');
    expect(html).toBe('<p>{"isInitialized":false,"isAuthUndefined":true,"isLoading":true}</p>');
    expect(test.server.calls).toEqual([]);
  });
});

describe("an event of another tab", () => {
  const key = "Parse/app/currentUser";
  const change = (newValue: string | null) => {
    if (newValue === null) localStorage.removeItem(key);
    else localStorage.setItem(key, newValue);
    window.dispatchEvent(new StorageEvent("storage", { key, newValue, storageArea: localStorage }));
  };

  it("of signing out signs this tab out and disconnects its wallet", async () => {
    installEthereum();
    const view = await renderReady(test.server, useMoralis);
    await act(async () => void (await view.current.login("ada", "secret")));
    await act(async () => void (await view.current.enableWeb3()));
    act(() => change(null));
    await waitFor(() => expect(view.current).toMatchObject({ isUnauthenticated: true, user: null }));
    await waitFor(() => expect(view.current.isWeb3Enabled).toBe(false));
    expect(User.current()).toBeNull();
  });

  it("of signing in signs this tab in", async () => {
    const view = await renderReady(test.server, useMoralis);
    await waitFor(() => expect(view.current.isUnauthenticated).toBe(true));
    act(() => change(JSON.stringify({ ...ADA, className: "_User" })));
    await waitFor(() => expect(view.current.user?.id).toBe("u1"));
    expect(view.current.isAuthenticated).toBe(true);
  });

  it("of disconnecting or connecting the wallet does the same in this tab", async () => {
    installEthereum();
    const view = await renderReady(test.server, useMoralis);
    await act(async () => void (await view.current.enableWeb3()));
    const wallet = "Parse/app/wallet";
    const connected = localStorage.getItem(wallet);
    const storageEvent = (newValue: string | null) =>
      window.dispatchEvent(new StorageEvent("storage", { key: wallet, newValue, storageArea: localStorage }));
    localStorage.removeItem(wallet);
    act(() => void storageEvent(null));
    await waitFor(() => expect(view.current.isWeb3Enabled).toBe(false));
    localStorage.setItem(wallet, String(connected));
    act(() => void storageEvent(connected));
    await waitFor(() => expect(view.current.account).toBe(ACCOUNT));
  });
});

describe("the previous wallet", () => {
  const key = "Parse/app/wallet";
  const kept = JSON.stringify({ provider: "injected" });

  it("is reconnected after a reload, with or without a user", async () => {
    installEthereum();
    localStorage.setItem(key, kept);
    const view = await renderReady(test.server, useMoralis);
    await waitFor(() => expect(view.current).toMatchObject({ account: ACCOUNT, isUnauthenticated: true }));
  });

  it("does not delay the initialization if it does not answer", async () => {
    const { promise, resolve } = Promise.withResolvers<string[]>();
    installEthereum({ eth_accounts: () => promise });
    localStorage.setItem(key, kept);
    const view = await renderReady(test.server, useMoralis);
    expect(view.current).toMatchObject({ isInitialized: true, isWeb3Enabled: false });
    resolve([ACCOUNT]);
    await waitFor(() => expect(view.current.account).toBe(ACCOUNT));
  });

  it("is connected if another tab connects one", async () => {
    installEthereum();
    const view = await renderReady(test.server, useMoralis);
    localStorage.setItem(key, kept);
    const storageEvent = { key, newValue: kept, storageArea: localStorage };
    act(() => void window.dispatchEvent(new StorageEvent("storage", storageEvent)));
    await waitFor(() => expect(view.current.account).toBe(ACCOUNT));
  });
});

describe("onAccountChanged", () => {
  it("receives the accounts of window.ethereum unchanged until the provider is unmounted", async () => {
    const wallet = installEthereum();
    const onAccountChanged = vi.fn();
    const view = await renderReady(test.server, useMoralis, { options: { onAccountChanged } });
    wallet.emit("accountsChanged", ["0xABC"]);
    wallet.emit("accountsChanged", []);
    expect(onAccountChanged.mock.calls).toEqual([["0xABC"], [undefined]]);
    view.unmount();
    expect(wallet.listeners("accountsChanged")).toBe(0);
  });

  it("is not called in a native environment", async () => {
    const wallet = installEthereum();
    const onAccountChanged = vi.fn();
    await renderReady(test.server, useMoralis, { environment: "native", options: { onAccountChanged } });
    wallet.emit("accountsChanged", ["0xABC"]);
    expect(onAccountChanged).not.toHaveBeenCalled();
  });
});

it("MoralisProvider starts one client in React's strict mode", async () => {
  const page = (
    <StrictMode>
      <MoralisProvider appId="app" serverUrl={test.server.url}>
        page
      </MoralisProvider>
    </StrictMode>
  );
  const view = render(page);
  view.rerender(page);
  await waitFor(() => expect(test.server.calls).toEqual(["POST functions/getPluginSpecs"]));
});
