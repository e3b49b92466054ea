// @vitest-environment happy-dom
import { act, waitFor } from "@testing-library/react";
import { encodeFunctionResult, type Hex, namehash, parseAbi } from "viem";
import { describe, expect, it } from "vitest";
import {
  ACCOUNT,
  ADA,
  announceWallet,
  installEthereum,
  renderReady,
  setUpTestServer,
} from "../test/testRendering.tsx";
import {
  getChain,
  getSupportedChains,
  resolveIPFS,
  useChain,
  useEnsAddress,
  useEnsName,
  useMoralis,
  useTransaction,
  useWallets,
} from "./index.ts";

const test = setUpTestServer();

describe("useWallets()", () => {
  it("returns wallets as they are announced, and connects the selected one", async () => {
    const view = await renderReady(test.server, () => ({ ...useMoralis(), ...useWallets() }));
    act(() => void announceWallet("org.first", "First"));
    const second = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
    act(() => void announceWallet("org.second", "Second", { eth_requestAccounts: () => [second] }));
    const wallet = view.current.wallets.find(({ rdns }) => rdns === "org.second");
    expect(view.current.wallets.map(({ name }) => name)).toEqual(["First", "Second"]);
    await act(async () => {
      if (wallet) await view.current.connect(wallet, { throwOnError: true });
    });
    expect(view.current.account).toBe(second);
  });

  it("connects the wallet that authenticate() then uses, also if another user was signed in", async () => {
    installEthereum();
    test.server.on("POST functions/getServerTime", { body: { result: { dateTime: "2026-01-01" } } });
    test.server.on("POST users", { body: ADA, status: 201 });
    test.server.on("PUT classes/_User/u1", { body: { updatedAt: "2026-01-02T00:00:00.000Z" } });
    const view = await renderReady(test.server, () => ({ ...useMoralis(), ...useWallets() }));
    await act(async () => void (await view.current.login("ada", "secret")));
    const third = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
    const answers = { eth_requestAccounts: () => [third], eth_accounts: () => [third] };
    act(() => void announceWallet("org.third", "Third", answers));
    const wallet = view.current.wallets.find(({ rdns }) => rdns === "org.third");
    await act(async () => {
      if (wallet) await view.current.connect(wallet, { throwOnError: true });
      await view.current.authenticate({ throwOnError: true });
    });
    expect(view.current).toMatchObject({ isAuthenticated: true, account: third });
    expect(view.current.user?.get("ethAddress")).toBe(third);
  });
});

describe("useChain()", () => {
  async function connected(answers = {}) {
    const wallet = installEthereum(answers);
    const view = await renderReady(test.server, () => ({ ...useMoralis(), ...useChain() }));
    await act(async () => void (await view.current.enableWeb3()));
    return { view, wallet };
  }

  it("returns the chain, and switches to another", async () => {
    const requests: unknown[] = [];
    const { view, wallet } = await connected({
      wallet_switchEthereumChain: (params: unknown) => void requests.push(params),
    });
    expect(view.current).toMatchObject({
      chainId: "0x1",
      chain: { name: "Ethereum Mainnet", shortName: "eth" },
    });
    await view.current.switchNetwork("0x89");
    expect(requests).toEqual([[{ chainId: "0x89" }]]);
    act(() => wallet.emit("chainChanged", "0x89"));
    expect(view.current.chain?.name).toBe("Polygon Mainnet");
  });

  it("adds a chain that the wallet does not know", async () => {
    const unknown = Object.assign(new Error("Unrecognized chain"), { code: 4902 });
    const added: unknown[] = [];
    const { view } = await connected({
      wallet_switchEthereumChain: () => Promise.reject(unknown),
      wallet_addEthereumChain: (params: unknown) => void added.push(params),
    });
    await view.current.switchNetwork("0x89");
    expect(added).toEqual([
      [
        {
          chainId: "0x89",
          chainName: "Polygon Mainnet",
          nativeCurrency: { name: "MATIC", symbol: "MATIC", decimals: 18 },
          rpcUrls: ["https://polygon-rpc.com"],
          blockExplorerUrls: ["https://polygonscan.com/"],
        },
      ],
    ]);
    await expect(view.current.switchNetwork("0x99999")).rejects.toThrow(
      "Chain 0x99999 not supported or is not specified",
    );
  });

  it("rejects with the wallet's error if the switch is declined", async () => {
    const declined = Object.assign(new Error("declined"), { code: 4001 });
    const { view } = await connected({ wallet_switchEthereumChain: () => Promise.reject(declined) });
    await expect(view.current.switchNetwork("0x89")).rejects.toBe(declined);
  });
});

describe("getSupportedChains()", () => {
  it("has the chains of react-moralis by their hex ids", () => {
    const old = [
      "0x1",
      "0x3",
      "0x4",
      "0x5",
      "0x19",
      "0x2a",
      "0x38",
      "0x61",
      "0x89",
      "0xfa",
      "0xa869",
      "0xa86a",
      "0x13881",
    ];
    const chains = getSupportedChains();
    expect(chains.map(({ chainId }) => chainId)).toEqual(expect.arrayContaining(old));
    expect(getChain("0x38")).toMatchObject({
      shortName: "bnb",
      networkId: 56,
      nativeCurrency: { symbol: "BNB", decimals: 18 },
      faucets: [],
    });
    expect(getChain("0x99999")).toBeUndefined();
  });

  it.each([
    ["ipfs://cid/1.png", "https://gateway.ipfs.io/ipfs/cid/1.png"],
    ["https://example.org/1.png", "https://example.org/1.png"],
    [null, null],
  ])("resolveIPFS(%s) is %s", (url, expected) => expect(resolveIPFS(url)).toBe(expected));
});

describe("useTransaction()", () => {
  it("follows a transaction until it is no longer rendered", async () => {
    let head = 10;
    let mined = false;
    const sent = { hash: "0xaa", from: ACCOUNT, to: ACCOUNT, nonce: "0x0", value: "0x0", input: "0x" };
    const block = { blockHash: "0xb10c", blockNumber: "0xa", transactionIndex: "0x0" };
    const receipt = {
      ...block,
      transactionHash: "0xaa",
      from: ACCOUNT,
      to: ACCOUNT,
      status: "0x1",
      logs: [],
    };
    const gas = { gasUsed: "0x5208", cumulativeGasUsed: "0x5208", effectiveGasPrice: "0x1" };
    const polls: unknown[] = [];
    installEthereum({
      eth_getTransactionReceipt: ([polled]) => {
        polls.push(polled);
        return mined ? { ...receipt, ...gas } : null;
      },
      eth_getTransactionByHash: () => (mined ? { ...sent, ...block } : { ...sent, blockNumber: null }),
      eth_getTransactionCount: () => (mined ? "0x1" : "0x0"),
      eth_blockNumber: () => `0x${head.toString(16)}`,
    });
    let hash: string | undefined;
    const view = await renderReady(test.server, () => ({
      ...useMoralis(),
      transaction: useTransaction(hash),
    }));
    await act(async () => void (await view.current.enableWeb3()));
    expect(view.current.transaction.status).toBe("unknown");
    hash = "0xaa";
    view.rerender();
    await waitFor(() => expect(view.current.transaction.status).toBe("seen"));
    mined = true;
    head = 11;
    await waitFor(() =>
      expect(view.current.transaction).toMatchObject({ status: "confirmed", confirmations: 2 }),
    );
    expect(view.current.transaction.receipt).toMatchObject({ blockNumber: 10, succeeded: true });
    // Of two that are polled at the same interval, only the one that is shown is polled again.
    const before = polls.length;
    hash = "0xcc";
    view.rerender();
    await waitFor(() => expect(polls.filter((polled) => polled === hash).length).toBeGreaterThan(2));
    expect(new Set(polls.slice(before))).toEqual(new Set([hash]));
  });
});

describe("useTransaction() in several components", () => {
  it("polls the chain once for all of them", async () => {
    const wallet = installEthereum({
      eth_getTransactionReceipt: () => null,
      eth_getTransactionByHash: () => ({
        hash: "0xbb",
        from: ACCOUNT,
        to: ACCOUNT,
        nonce: "0x0",
        value: "0x0",
        input: "0x",
        blockNumber: null,
      }),
      eth_getTransactionCount: () => "0x0",
      eth_blockNumber: () => "0xa",
    });
    const view = await renderReady(test.server, () => ({
      ...useMoralis(),
      one: useTransaction("0xbb"),
      other: useTransaction("0xbb"),
    }));
    await act(async () => void (await view.current.enableWeb3()));
    await waitFor(() => expect(view.current.other.status).toBe("seen"));
    expect(view.current.one).toBe(view.current.other);
    expect(wallet.requestedMethods.filter((method) => method === "eth_getTransactionByHash")).toHaveLength(1);
    view.unmount();
  });
});

describe("the ENS hooks", () => {
  const NAME = "ada.eth";
  const AVATAR = "https://example.org/ada.png";
  const abi = parseAbi([
    "function resolver(bytes32 node) view returns (address)",
    "function addr(bytes32 node) view returns (address)",
    "function name(bytes32 node) view returns (string)",
    "function text(bytes32 node, string key) view returns (string)",
  ]);
  const RESOLVER = "0x1111111111111111111111111111111111111111";
  const NOBODY = "0x0000000000000000000000000000000000000000";

  /** A name service with one name, which is called like a contract. */
  function nameService(owner: Hex) {
    return ([call]: readonly unknown[]) => {
      const data = String(Reflect.get(Object(call), "data"));
      const selector = data.slice(0, 10);
      const node: string = `0x${data.slice(10, 74)}`;
      const known = node === namehash(NAME) || node === namehash(`${ACCOUNT.slice(2)}.addr.reverse`);
      switch (selector) {
        case "0x0178b8bf":
          return encodeFunctionResult({ abi, functionName: "resolver", result: known ? RESOLVER : NOBODY });
        case "0x3b3b57de":
          return encodeFunctionResult({ abi, functionName: "addr", result: owner });
        case "0x691f3431":
          return encodeFunctionResult({ abi, functionName: "name", result: NAME });
        default: {
          const isAvatar = Buffer.from(data.slice(2), "hex").includes("avatar");
          return encodeFunctionResult({ abi, functionName: "text", result: isAvatar ? AVATAR : "" });
        }
      }
    };
  }

  const both = (address: string | null, name: string | null) => () => ({
    ...useMoralis(),
    byAddress: useEnsAddress(address),
    byName: useEnsName(name),
  });

  it("resolve through the data API if no wallet is connected", async () => {
    test.server.on("POST functions/resolveAddress", { body: { result: { name: NAME } } });
    test.server.on("POST functions/resolveDomain", { body: { result: { address: ACCOUNT } } });
    const view = await renderReady(test.server, both(ACCOUNT, NAME));
    await waitFor(() =>
      expect(view.current.byAddress).toEqual({ name: NAME, isLoading: false, error: null }),
    );
    await waitFor(() => expect(view.current.byName.address).toBe(ACCOUNT));
    expect(view.current.byName).toEqual({
      address: ACCOUNT,
      avatar: null,
      email: null,
      url: null,
      isLoading: false,
      error: null,
    });
  });

  it("resolve on the chain, with avatar and other records, if the wallet's chain has ENS", async () => {
    installEthereum({ eth_call: nameService(ACCOUNT) });
    const view = await renderReady(test.server, both(ACCOUNT, NAME));
    await act(async () => void (await view.current.enableWeb3()));
    await waitFor(() => expect(view.current.byAddress.name).toBe(NAME));
    await waitFor(() =>
      expect(view.current.byName).toMatchObject({ address: ACCOUNT, avatar: AVATAR, email: null, url: null }),
    );
  });

  it("return no name that resolves to another address", async () => {
    installEthereum({ eth_call: nameService("0x2222222222222222222222222222222222222222") });
    const view = await renderReady(test.server, both(ACCOUNT, null));
    await act(async () => void (await view.current.enableWeb3()));
    await waitFor(() => expect(view.current.byAddress).toMatchObject({ name: null, isLoading: false }));
  });

  it("return null for names and addresses that the data API does not know", async () => {
    const unknown = { status: 404, body: { code: 101, error: "nobody.eth does not resolve to an address" } };
    test.server.on("POST functions/resolveDomain", unknown);
    test.server.on("POST functions/resolveAddress", unknown);
    const view = await renderReady(test.server, both(ACCOUNT, "nobody.eth"));
    const requests = ["POST functions/resolveAddress", "POST functions/resolveDomain"];
    await waitFor(() => expect(test.server.calls).toEqual(expect.arrayContaining(requests)));
    await waitFor(() =>
      expect(view.current.byName).toMatchObject({ address: null, isLoading: false, error: null }),
    );
    expect(view.current.byAddress).toMatchObject({ name: null, error: null });
  });

  it("return null for names that are not registered", async () => {
    installEthereum({ eth_call: nameService(ACCOUNT) });
    const view = await renderReady(test.server, both(null, "nobody.eth"));
    await act(async () => void (await view.current.enableWeb3()));
    await waitFor(() => expect(view.current.byName).toMatchObject({ address: null, isLoading: false }));
    expect(view.current.byAddress).toEqual({ name: null, isLoading: false, error: null });
  });
});
