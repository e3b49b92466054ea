import { act, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { ACCOUNT, installEthereum, renderReady, setUpTestServer } from "../test/testRendering.tsx";
import {
  useMoralis,
  useNFTCollectionStats,
  useNFTRarity,
  useNFTTraits,
  usePairCandlesticks,
  usePendingTransactions,
  useTokenCandlesticks,
  useTokenHolderHistory,
  useTokenOwners,
  useTokenPrices,
  useTokenSearch,
  useTokenStats,
  useUserOperations,
  useWalletActiveChains,
  useWalletApprovals,
  useWalletHistory,
  useWalletInternalTransactions,
  useWalletNetWorth,
  useWalletNFTCollections,
  useWalletStats,
  useWalletTokens,
} from "./index.ts";

const test = setUpTestServer();
const result = (name: string, value: unknown) =>
  test.server.on(`POST functions/${name}`, { body: { result: value } });
const WALLET = { address: "0x2", chain: "bsc" };
const FETCH = { autoFetch: true };

describe("the hooks of a wallet", () => {
  it.each([
    ["getWalletTokenBalancesPrice", () => useWalletTokens(WALLET, FETCH).data],
    ["getWalletNetWorth", () => useWalletNetWorth({ address: "0x2" }, FETCH).data],
    ["getWalletHistory", () => useWalletHistory(WALLET, FETCH).data],
    ["getWalletApprovals", () => useWalletApprovals(WALLET, FETCH).data],
    ["getWalletStats", () => useWalletStats(WALLET, FETCH).data],
    ["getWalletActiveChains", () => useWalletActiveChains({ address: "0x2" }, FETCH).data],
    ["getWalletNFTCollections", () => useWalletNFTCollections(WALLET, FETCH).data],
    ["getPendingTransactions", () => usePendingTransactions(WALLET, FETCH).data],
    ["getWalletInternalTransactions", () => useWalletInternalTransactions(WALLET, FETCH).data],
  ])("%s is called with the parameters", async (name, read) => {
    result(name, { total: 1, result: [] });
    const view = await renderReady(test.server, () => ({ data: read() }));
    await waitFor(() => expect(view.current.data).toMatchObject({ total: 1 }));
    expect(test.server.bodies.at(-1)).toMatchObject({ address: "0x2" });
  });

  it("use the connected wallet on its chain if the parameters name none", async () => {
    installEthereum({ eth_chainId: () => "0x89" });
    result("getWalletHistory", { page: 0, result: [] });
    const view = await renderReady(test.server, () => ({ ...useMoralis(), history: useWalletHistory() }));
    await act(async () => void (await view.current.enableWeb3()));
    await waitFor(() => expect(view.current.history.data).toMatchObject({ page: 0 }));
    expect(test.server.bodies.at(-1)).toMatchObject({ chain: "0x89", address: ACCOUNT });
  });
});

describe("the hooks of a token", () => {
  it.each([
    ["getTokenOwners", () => useTokenOwners(WALLET).data],
    ["getTokenStats", () => useTokenStats(WALLET).data],
    ["getTokenCandlesticks", () => useTokenCandlesticks(WALLET).data],
    ["getNFTCollectionStats", () => useNFTCollectionStats(WALLET).data],
    ["getNFTTraitsByCollection", () => useNFTTraits(WALLET).data],
    ["getNFTCollectionRarity", () => useNFTRarity(WALLET).data],
    ["getHistoricalTokenHolders", () => useTokenHolderHistory({ ...WALLET, fromDate: "2026-01-01" }).data],
    ["getPairCandlesticks", () => usePairCandlesticks({ chain: "bsc", pair_address: "0x2" }).data],
    ["getUserOperations", () => useUserOperations({ chain: "bsc", sender: "0x2" }).data],
    ["searchTokens", () => useTokenSearch({ chain: "bsc", query: "GOLD" }).data],
    [
      "getMultipleTokenPrices",
      () => useTokenPrices({ chain: "bsc", tokens: [{ token_address: "0x2" }] }).data,
    ],
  ])("%s is called on mount, on the given chain", async (name, read) => {
    result(name, { total: 1, result: [] });
    const view = await renderReady(test.server, () => ({ data: read() }));
    await waitFor(() => expect(view.current.data).toMatchObject({ total: 1 }));
    expect(test.server.bodies.at(-1)).toMatchObject({ chain: "bsc" });
  });
});
