import { describe, expect, it } from "vitest";
import type { Asset } from "../../wallet/holdings.ts";
import { type ChainQuery, joinedHoldings } from "./tokenRows.ts";

const chain = (id: number): ChainQuery["chain"] => ({
  id,
  hexId: `0x${id.toString(16)}`,
  name: `chain ${id}`,
  rpcUrl: null,
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
});
const AWAY = new Error("away");

function holdings(id: number, query: Partial<ChainQuery["query"]>): ChainQuery {
  const none = {
    data: undefined,
    error: null,
    isFetching: false,
    dataUpdatedAt: 0,
    refetch: () => undefined,
  };
  return { chain: chain(id), query: { ...none, ...query } };
}
const NO_ASSETS: Asset[] = [];

describe("the holdings of several chains", () => {
  it("are waited for together, so that a total is never one of a part", () => {
    const joined = joinedHoldings([holdings(1, { data: NO_ASSETS }), holdings(2, {})]);
    expect(joined).toMatchObject({ data: undefined, error: null });
  });

  it("are those of the chains that answer, with the failure of one that does not", () => {
    const joined = joinedHoldings([holdings(1, { data: NO_ASSETS }), holdings(2, { error: AWAY })]);
    expect(joined.data?.map((each) => each.chain.id)).toEqual([1]);
    expect(joined.error).toBe(AWAY);
  });

  it("are a failure, not nothing, where no chain answers", () => {
    expect(joinedHoldings([holdings(1, { error: AWAY })])).toMatchObject({ data: undefined, error: AWAY });
  });

  it("are as old as the oldest of them", () => {
    const joined = joinedHoldings([
      holdings(1, { data: NO_ASSETS, dataUpdatedAt: 200 }),
      holdings(2, { data: NO_ASSETS, dataUpdatedAt: 100, error: AWAY }),
    ]);
    expect(joined.dataUpdatedAt).toBe(100);
  });
});
