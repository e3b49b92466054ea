import { act, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { ACCOUNT, installEthereum, renderReady, setUpTestServer } from "../test/testRendering.tsx";
import {
  useERC20Balances,
  useERC20Transfers,
  useMoralis,
  useNativeBalance,
  useNativeTransactions,
  useNFTBalances,
  useNFTTransfers,
  useTokenPrice,
} from "./index.ts";

const test = setUpTestServer();

const result = (name: string, value: unknown) =>
  test.server.on(`POST functions/${name}`, { body: { result: value } });

describe("the wallet of the data hooks", () => {
  it("is the connected wallet on its chain, and there is no request without one", async () => {
    installEthereum({ eth_chainId: () => "0x89" });
    result("getTokenBalances", [{ token_address: "0x1", balance: "5" }]);
    const view = await renderReady(test.server, () => ({ ...useMoralis(), tokens: useERC20Balances() }));
    expect(view.current.tokens).toMatchObject({ data: null, isLoading: false });
    await act(async () => void (await view.current.enableWeb3()));
    await waitFor(() => expect(view.current.tokens.data).toMatchObject([{ balance: "5" }]));
    expect(test.server.bodies.at(-1)).toMatchObject({ chain: "0x89", address: ACCOUNT });
  });

  it("is that of the parameters if they have an address", async () => {
    result("getTokenTransfers", { total: 0, page: 0, page_size: 5, result: [] });
    const view = await renderReady(test.server, () =>
      useERC20Transfers({ address: "0x2", chain: "bsc", limit: 5 }, { autoFetch: true }),
    );
    await waitFor(() => expect(view.current.data).toMatchObject({ result: [] }));
    expect(test.server.bodies.at(-1)).toMatchObject({ chain: "bsc", address: "0x2", limit: 5 });
    await act(async () => void (await view.current.fetchERC20Transfers({ params: { limit: 6 } })));
    expect(test.server.bodies.at(-1)).toMatchObject({ chain: "bsc", limit: 6 });
  });
});

describe("useNativeBalance", () => {
  it.each([
    ["0x1", "1234567800000000000", "1.235 ETH"],
    ["0x89", "100000000000", "0.0000001 MATIC"],
    ["eth", "1000000000000000000", null],
  ])("on %s formats %s as %s", async (chain, balance, formatted) => {
    result("getNativeBalance", { balance });
    const view = await renderReady(test.server, () =>
      useNativeBalance({ chain, address: ACCOUNT }, { autoFetch: false }),
    );
    expect(view.current.data).toEqual({ formatted: null });
    const onSuccess = vi.fn();
    const answer = await act(() => view.current.getBalances({ onSuccess }));
    expect(view.current.data).toEqual({ balance, formatted });
    expect(answer).toEqual({ balance });
    expect(onSuccess).toHaveBeenCalledExactlyOnceWith({ balance });
    expect(view.current.nativeToken?.symbol ?? null).toBe(formatted?.split(" ")[1] ?? null);
  });
});

describe("the NFT hooks", () => {
  it("return parsed metadata and image URLs that browsers can load, while callers receive the raw response", async () => {
    result("getNFTs", {
      total: 2,
      page: 0,
      page_size: 10,
      status: "SYNCED",
      result: [
        { token_id: "1", metadata: '{"name":"One","image":"ipfs://cid/1.png"}' },
        { token_id: "2", metadata: "no json" },
        { token_id: "3", metadata: null },
      ],
    });
    const view = await renderReady(test.server, () => useNFTBalances({ address: ACCOUNT }));
    const onSuccess = vi.fn();
    const answer = await act(() => view.current.getNFTBalances({ onSuccess }));
    expect(answer?.result.map(({ metadata }) => metadata)).toEqual([
      '{"name":"One","image":"ipfs://cid/1.png"}',
      "no json",
      null,
    ]);
    expect(onSuccess).toHaveBeenCalledExactlyOnceWith(answer);
    expect(view.current.data).toEqual({
      total: 2,
      page: 0,
      page_size: 10,
      status: "SYNCED",
      result: [
        {
          token_id: "1",
          metadata: { name: "One", image: "ipfs://cid/1.png" },
          image: "https://gateway.ipfs.io/ipfs/cid/1.png",
        },
        { token_id: "2", metadata: "no json" },
        { token_id: "3", metadata: null },
      ],
    });
  });

  it("return NFT transfers", async () => {
    result("getNFTTransfers", { total: 0, page: 0, page_size: 10, result: [] });
    const view = await renderReady(test.server, () => useNFTTransfers({ address: ACCOUNT }));
    await act(async () => void (await view.current.getNFTTransfers()));
    expect(view.current.data).toMatchObject({ total: 0 });
  });
});

it("useNativeTransactions() keeps the misspelled getNativeTransations, and returns the chain", async () => {
  result("getTransactions", { total: 0, page: 0, page_size: 10, result: [] });
  const view = await renderReady(test.server, () =>
    useNativeTransactions({ address: ACCOUNT, chain: "0x1" }),
  );
  await act(async () => void (await view.current.getNativeTransations()));
  expect(view.current).toMatchObject({ chainId: "0x1", data: { total: 0 } });
});

it("useTokenPrice() formats prices in dollars and native coins", async () => {
  result("getTokenPrice", {
    usdPrice: 1234.5,
    nativePrice: { value: "500000000000000000", decimals: 18, name: "Ether", symbol: "ETH" },
  });
  const view = await renderReady(test.server, () => useTokenPrice({ address: "0x2", chain: "eth" }));
  await waitFor(() =>
    expect(view.current.data).toMatchObject({
      usdPrice: 1234.5,
      formattedUsd: "$1,234.50",
      formattedNative: "0.5 ETH",
    }),
  );
  const price = await act(() => view.current.fetchTokenPrice({ params: { address: "0x3" } }));
  expect(Object.keys(price ?? {})).toEqual(["usdPrice", "nativePrice"]);
  expect(test.server.bodies.at(-1)).toMatchObject({ address: "0x3" });
});
