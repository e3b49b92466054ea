import { deactivateWeb3, enableWeb3, User } from "@purse/client";
import { act, renderHook, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { ACCOUNT, ADA, installEthereum, renderReady, setUpTestServer } from "../test/testRendering.tsx";
import { NoMoralisContextProviderError, useMoralis } from "./index.ts";

const test = setUpTestServer();

async function ready() {
  const states: string[] = [];
  const view = await renderReady(test.server, () => {
    const moralis = useMoralis();
    if (states.at(-1) !== moralis.auth.state) states.push(moralis.auth.state);
    return moralis;
  });
  await waitFor(() => expect(view.current.isAuthUndefined).toBe(false));
  return {
    view,
    states,
    get now() {
      return view.current;
    },
  };
}

it("useMoralis() throws outside a provider", { tags: ["8.sdk.use-moralis-outside-provider"] }, () => {
  const silence = vi.spyOn(console, "error").mockImplementation(() => {});
  expect(() => renderHook(useMoralis)).toThrow(NoMoralisContextProviderError);
  expect(() => renderHook(useMoralis)).toThrow(
    "Make sure to only call useMoralis within a  <MoralisProvider>",
  );
  silence.mockRestore();
});

describe("signing in", () => {
  it("with a password changes the state to authenticating and authenticated, and calls back", async () => {
    const page = await ready();
    const onSuccess = vi.fn();
    const onComplete = vi.fn();
    await act(async () => void (await page.now.login("ada", "secret", { onSuccess, onComplete })));
    expect(page.states).toEqual(["undefined", "unauthenticated", "authenticating", "authenticated"]);
    expect(page.now.user?.id).toBe("u1");
    expect(onSuccess).toHaveBeenCalledWith(page.now.user);
    expect(onComplete).toHaveBeenCalledOnce();
  });

  it("with a wallet changes the state to authenticating and authenticated, and enables web3", {
    tags: ["4.auth.authenticate.success"],
  }, async () => {
    installEthereum();
    test.server.on("POST functions/getServerTime", { body: { result: { dateTime: "2026-01-01" } } });
    test.server.on("POST users", { body: ADA, status: 201 });
    test.server.on("PUT classes/_User/u1", { body: { updatedAt: "2026-01-02T00:00:00.000Z" } });
    const page = await ready();
    await act(async () => void (await page.now.authenticate({ throwOnError: true })));
    expect(page.states).toEqual(["undefined", "unauthenticated", "authenticating", "authenticated"]);
    expect(page.now).toMatchObject({ isWeb3Enabled: true, account: ACCOUNT, chainId: "0x1" });
    expect(page.now.user?.get("ethAddress")).toBe(ACCOUNT);
  });

  it("that fails returns the error with its code, and the user stays null", async () => {
    test.server.on("POST login", { status: 404, body: { code: 101, error: "Invalid username/password." } });
    const page = await ready();
    const onError = vi.fn();
    await act(async () => {
      await expect(page.now.login("ada", "x", { onError, throwOnError: true })).rejects.toMatchObject({
        code: 101,
      });
    });
    expect(page.now).toMatchObject({ hasAuthError: true, authError: { code: 101 }, isAuthenticated: false });
    expect(onError).toHaveBeenCalledOnce();
  });

  it("by signup() with an email that is not a string keeps the state", async () => {
    const page = await ready();
    const onError = vi.fn();
    await act(async () => {
      await page.now.signup("ada", "secret", undefined, { email: 1 }, { onError });
    });
    expect(onError.mock.calls[0]?.[0]).toMatchObject({
      name: "ValidationError",
      message: "email can only be a string type",
    });
    expect(page.now.isUnauthenticated).toBe(true);
  });

  it("by the client without the hooks updates them", async () => {
    const page = await ready();
    await act(async () => void (await User.logIn("ada", "secret")));
    await waitFor(() => expect(page.now).toMatchObject({ isAuthenticated: true, user: { id: "u1" } }));
    await act(async () => void (await User.logOut()));
    await waitFor(() => expect(page.now).toMatchObject({ isUnauthenticated: true, user: null }));
  });
});

describe("signing out", () => {
  it("sets the state authenticating and isLoggingOut", async () => {
    const page = await ready();
    await act(async () => void (await page.now.login("ada", "secret")));
    const { promise, resolve } = Promise.withResolvers<void>();
    test.server.on("POST logout", { waitFor: promise });
    let done: Promise<unknown> | undefined;
    act(() => {
      done = page.now.logout();
    });
    expect(page.now).toMatchObject({ isLoggingOut: true, auth: { state: "authenticating" } });
    resolve();
    await act(async () => void (await done));
    expect(page.now).toMatchObject({ isUnauthenticated: true, user: null, isLoggingOut: false });
  });

  it("that the server rejects keeps the user", async () => {
    const page = await ready();
    await act(async () => void (await page.now.login("ada", "secret")));
    test.server.on("POST logout", { status: 400, body: { code: 1, error: "no" } });
    await act(async () => void (await page.now.logout()));
    expect(page.now).toMatchObject({ hasAuthError: true, isLoggingOut: false, user: { id: "u1" } });
  });
});

describe("the user's data", () => {
  it("are saved and fetched again, which increments userVersion", async () => {
    const page = await ready();
    await act(async () => void (await page.now.login("ada", "secret")));
    const version = page.now.userVersion;
    test.server.on("PUT classes/_User/u1", { body: { updatedAt: "2026-01-02T00:00:00.000Z" } });
    await act(async () => void (await page.now.setUserData({ email: "ada@example.org", left: undefined })));
    expect(test.server.bodies.at(-1)).toMatchObject({ email: "ada@example.org" });
    expect(test.server.bodies.at(-1)).not.toHaveProperty("left");
    expect(page.now.userVersion).toBeGreaterThan(version);
    test.server.on("GET classes/_User/u1", { body: { ...ADA, email: "new@example.org" } });
    await act(async () => void (await page.now.refetchUserData()));
    expect(page.now.user?.get("email")).toBe("new@example.org");
  });

  it("require a signed-in user", async () => {
    const page = await ready();
    await expect(page.now.setUserData({ a: 1 })).rejects.toMatchObject({
      name: "NotAuthenticatedError",
      message: "User needs to be authenticated before setting new data",
    });
    await expect(page.now.refetchUserData()).rejects.toThrow(
      "User needs to be authenticated before refetching",
    );
  });
});

describe("the wallet", () => {
  it("is enabled after it is connected, by the hooks or by the client", {
    tags: ["4.web3-flag.true-on-connection"],
  }, async () => {
    const wallet = installEthereum();
    const page = await ready();
    await act(async () => void (await page.now.enableWeb3()));
    expect(page.now).toMatchObject({
      isWeb3Enabled: true,
      web3: wallet,
      connectorType: "injected",
      network: "evm",
    });
    await act(() => deactivateWeb3());
    await act(async () => void (await enableWeb3()));
    expect(page.now.isWeb3Enabled).toBe(true);
  });

  it("is not enabled after deactivateWeb3() of the hook", {
    tags: ["4.web3-flag.false-on-deactivate"],
  }, async () => {
    installEthereum();
    const page = await ready();
    await act(async () => void (await page.now.enableWeb3()));
    await act(() => page.now.deactivateWeb3());
    expect(page.now).toMatchObject({ isWeb3Enabled: false, web3: null, account: null, chainId: null });
  });

  it("is not enabled after it disconnects", {
    tags: ["4.web3-flag.false-on-disconnect"],
  }, async () => {
    const wallet = installEthereum();
    const page = await ready();
    await act(async () => void (await page.now.enableWeb3()));
    act(() => wallet.emit("disconnect", new Error("gone")));
    await waitFor(() => expect(page.now.isWeb3Enabled).toBe(false));
    expect(page.now.account).toBeNull();
  });

  it("is not enabled after deactivateWeb3() of the client", {
    tags: ["4.web3-flag.false-on-deactivated"],
  }, async () => {
    installEthereum();
    const page = await ready();
    await act(async () => void (await page.now.enableWeb3()));
    await act(() => page.now.Moralis.deactivateWeb3());
    expect(page.now.isWeb3Enabled).toBe(false);
  });

  it("updates account and chain when the user changes them", async () => {
    const wallet = installEthereum();
    const page = await ready();
    await act(async () => void (await page.now.enableWeb3()));
    act(() => wallet.emit("accountsChanged", ["0xABC0000000000000000000000000000000000000"]));
    act(() => wallet.emit("chainChanged", "0x89"));
    expect(page.now).toMatchObject({
      account: "0xabc0000000000000000000000000000000000000",
      chainId: "0x89",
    });
  });

  it("returns an error if there is none", async () => {
    const page = await ready();
    const onError = vi.fn();
    await act(async () => void (await page.now.enableWeb3({ onError })));
    expect(page.now.web3EnableError).toMatchObject({ message: "Non ethereum enabled browser" });
    expect(onError).toHaveBeenCalledOnce();
    expect(page.now.isWeb3EnableLoading).toBe(false);
  });

  it("has no listeners after the page is unmounted", async () => {
    const wallet = installEthereum();
    const page = await ready();
    await act(async () => void (await page.now.enableWeb3()));
    page.view.unmount();
    await deactivateWeb3();
    expect(wallet.listeners("accountsChanged")).toBe(0);
  });
});
