// @vitest-environment happy-dom
// @vitest-environment-options {"settings":{"fetch":{"disableSameOriginPolicy":true}}}
import { deactivateWeb3, LiveQuery, ParseObject, User } from "@purse/client";
import {
  MoralisProvider,
  useERC20Balances,
  useInfiniteMoralisQuery,
  useMoralis,
  useMoralisCloudFunction,
  useMoralisFile,
  useMoralisQuery,
  useNativeBalance,
  useNewMoralisObject,
  useSessions,
  useSuspenseMoralisQuery,
  useTransaction,
  useWeb3Contract,
  useWeb3Transfer,
} from "@purse/react";
import { act, cleanup, configure, render, renderHook, screen, waitFor } from "@testing-library/react";
import { createElement, type ReactNode, StrictMode, Suspense } from "react";
import { createPublicClient, http, parseEther } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { devAccount, devKey } from "../support/devAccount.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

let purse: Purse;

beforeAll(async () => {
  purse = await hostPurse({ devChain: true });
}, 120_000);
afterAll(async () => {
  await LiveQuery.close();
  await purse?.remove();
});
afterEach(async () => {
  cleanup();
  await deactivateWeb3();
  await User.logOut();
});

configure({ asyncUtilTimeout: 15_000 });

/** A page in StrictMode below a provider of the real server. */
function page(children: ReactNode) {
  const { appId, serverUrl } = purse;
  return createElement(StrictMode, null, createElement(MoralisProvider, { appId, serverUrl }, children));
}

async function open<R>(hook: () => R) {
  const { result, unmount } = renderHook(() => ({ ...useMoralis(), page: hook() }), {
    wrapper: ({ children }) => page(children),
  });
  await waitFor(() => expect(result.current.isInitialized).toBe(true));
  return { result, unmount };
}

/** The wallet of the development pages: a real key, with the local chain behind it. */
function wallet(index: number) {
  return { provider: "keystore", privateKey: devKey(index), rpcUrl: purse.rpcUrl };
}

const address = (index: number) => devAccount(index).address.toLowerCase();

let users = 0;

async function signedUp<R>(hook: () => R) {
  const view = await open(hook);
  users += 1;
  const name = `react${users}`;
  await act(async () => {
    await view.result.current.signup(name, "correct horse", undefined, {}, { throwOnError: true });
  });
  return { ...view, name };
}

describe("user accounts", () => {
  it("authenticate() signs in with a wallet, and logout() ends the session", async () => {
    const { result } = await open(() => null);
    await act(async () => {
      await result.current.authenticate({ ...wallet(0), throwOnError: true });
    });
    expect(result.current).toMatchObject({ isAuthenticated: true, isWeb3Enabled: true, account: address(0) });
    expect(result.current.user?.get("accounts")).toEqual([address(0)]);
    const token = String(result.current.user?.getSessionToken());
    await act(async () => void (await result.current.logout({ throwOnError: true })));
    expect(result.current).toMatchObject({ isUnauthenticated: true, user: null, isWeb3Enabled: false });
    const answer = await rest(purse, "GET", "/users/me", undefined, { sessionToken: token });
    expect(answer.body.code).toBe(209);
  });

  it("are restored when the page is reloaded", async () => {
    const first = await signedUp(() => null);
    first.unmount();
    const { result } = await open(() => null);
    expect(result.current).toMatchObject({ isAuthenticated: true });
    expect(result.current.user?.get("username")).toBe(first.name);
  });

  it("setUserData() changes the fields of the user", async () => {
    const { result } = await signedUp(() => null);
    await act(async () => void (await result.current.setUserData({ city: "Turin" }, { throwOnError: true })));
    await act(async () => void (await result.current.refetchUserData({ throwOnError: true })));
    expect(result.current.user?.get("city")).toBe("Turin");
  });

  it("useSessions() lists other sessions and revokes them", async () => {
    const { result, name } = await signedUp(() => useSessions());
    const elsewhere = await rest(purse, "POST", "/login", { username: name, password: "correct horse" });
    const sessionToken = String(elsewhere.body.sessionToken);
    await act(async () => void (await result.current.page.fetch()));
    expect(result.current.page.error).toBeNull();
    expect(result.current.page.sessions.map(({ isCurrent }) => isCurrent).sort()).toEqual([false, true]);
    await act(() => result.current.page.revokeOthers({ throwOnError: true }));
    expect(result.current.page.sessions).toMatchObject([{ isCurrent: true }]);
    const answer = await rest(purse, "GET", "/users/me", undefined, { sessionToken });
    expect(answer.body.code).toBe(209);
  });
});

describe("objects", () => {
  it("are saved, queried and updated live", async () => {
    const { result } = await signedUp(() => ({
      saving: useNewMoralisObject("ReactNote"),
      notes: useMoralisQuery("ReactNote", (query) => query.ascending("text"), [], { live: true }),
    }));
    await act(async () => {
      await result.current.page.saving.save({ text: "first" }, { throwOnError: true });
    });
    const texts = () => result.current.page.notes.data.map((note) => note.get("text"));
    await waitFor(() => expect(texts()).toEqual(["first"]));
    const id = result.current.page.saving.object?.id;
    await rest(purse, "PUT", `/classes/ReactNote/${id}`, { text: "changed" }, { useMasterKey: true });
    await waitFor(() => expect(texts()).toEqual(["changed"]));
    await rest(purse, "DELETE", `/classes/ReactNote/${id}`, undefined, { useMasterKey: true });
    await waitFor(() => expect(texts()).toEqual([]));
  });

  it("are paginated without duplicates while other objects are created", async () => {
    const { result } = await signedUp(() =>
      useInfiniteMoralisQuery("ReactPage", (query) => query.equalTo("kept", true), [], {
        pageSize: 2,
        cursor: { field: "rank", descending: true },
        autoFetch: false,
      }),
    );
    const of = (rank: number, kept = true) => new ParseObject("ReactPage", { rank, kept });
    await ParseObject.saveAll([of(1), of(2), of(2), of(3), of(4, false), of(5)]);
    await act(() => result.current.page.refetch());
    await of(9).save();
    await act(() => result.current.page.fetchNextPage());
    await act(() => result.current.page.fetchNextPage());
    expect(result.current.page.error).toBeNull();
    expect(result.current.page.data.map((each) => each.get("rank"))).toEqual([5, 3, 2, 2, 1]);
    expect(result.current.page.hasNextPage).toBe(false);
  });

  it("suspend a component below a Suspense boundary until they are loaded", async () => {
    await rest(purse, "POST", "/classes/ReactSuspense", { text: "here" }, { useMasterKey: true });
    function Notes() {
      const { data } = useSuspenseMoralisQuery("ReactSuspense");
      return createElement("p", null, data.map((note) => String(note.get("text"))).join());
    }
    render(page(createElement(Suspense, { fallback: "waiting" }, createElement(Notes))));
    await screen.findByText("here");
  });

  it("with an invalid field name are rejected with the server's error", async () => {
    const { result } = await signedUp(() => useNewMoralisObject("ReactNote"));
    await act(async () => {
      await result.current.page.save({ "no field": 1 });
    });
    expect(result.current.page.error).toMatchObject({ code: 105 });
  });
});

it("useMoralisFile() uploads a file that can be downloaded", async () => {
  const { result } = await signedUp(() => useMoralisFile());
  await act(async () => {
    await result.current.page.saveFile("hello.txt", { base64: btoa("hello") }, { throwOnError: true });
  });
  const response = await fetch(String(result.current.page.moralisFile?.url()));
  expect(await response.text()).toBe("hello");
});

it("useMoralisCloudFunction() calls a function", async () => {
  const { result } = await open(() => useMoralisCloudFunction<{ dateTime: string }>("getServerTime"));
  await waitFor(() => expect(result.current.page.data?.dateTime).toMatch(/^\d{4}-/));
});

describe("the wallet", () => {
  it("shows balances, sends native currency and tracks the transaction until it is confirmed", async () => {
    const { result } = await open(() => {
      const sending = useWeb3Transfer({ type: "native", amount: `${parseEther("1")}`, receiver: address(6) });
      return {
        sending,
        balance: useNativeBalance(),
        tokens: useERC20Balances(),
        transaction: useTransaction(sending.data?.hash),
      };
    });
    await act(async () => void (await result.current.enableWeb3({ ...wallet(1), throwOnError: true })));
    expect(result.current).toMatchObject({ account: address(1), chainId: "0x539" });
    await waitFor(() => expect(result.current.page.balance.data.formatted).toMatch(/^\d+(\.\d+)? ETH$/));
    await waitFor(() => expect(result.current.page.tokens.data?.length).toBeGreaterThan(0));
    const node = createPublicClient({ transport: http(purse.rpcUrl) });
    const before = await node.getBalance({ address: devAccount(6).address });
    await act(async () => void (await result.current.page.sending.fetch({ throwOnError: true })));
    await waitFor(() => expect(result.current.page.transaction.status).toBe("confirmed"));
    expect((await node.getBalance({ address: devAccount(6).address })) - before).toBe(parseEther("1"));
  });

  it("calls contract functions", { tags: ["1.capability.contract-call"] }, async () => {
    const abi = [
      {
        type: "function",
        name: "symbol",
        stateMutability: "view",
        inputs: [],
        outputs: [{ name: "", type: "string" }],
      },
    ] as const;
    const { result } = await open(() => ({ tokens: useERC20Balances(), contract: useWeb3Contract() }));
    await act(async () => void (await result.current.enableWeb3({ ...wallet(1), throwOnError: true })));
    await waitFor(() => expect(result.current.page.tokens.data?.length).toBeGreaterThan(0));
    const [token] = result.current.page.tokens.data ?? [];
    await act(async () => {
      const params = { contractAddress: String(token?.token_address), abi, functionName: "symbol" };
      await result.current.page.contract.runContractFunction({ params, throwOnError: true });
    });
    expect(result.current.page.contract.data).toBe(token?.symbol);
  });
});
