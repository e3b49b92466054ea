import { describe, expect, it } from "vitest";
import type { Asset } from "../../wallet/holdings.ts";
import { type ChainQuery, combineHoldings } from "./tokenRows.ts";

const chain = (id: number): ChainQuery["chain"] => ({
  id,
  hexId: `0x${id.toString(16)}`,
  name: `chain ${id}`,
  rpcUrl: null,
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  wrappedNative: null,
});
const NETWORK_ERROR = new Error("away");

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
  it("are undefined until all chains have responded, so that there is no partial total", () => {
    const combined = combineHoldings([holdings(1, { data: NO_ASSETS }), holdings(2, {})]);
    expect(combined).toMatchObject({ data: undefined, error: null });
  });

  it("include the chains that respond, with the error of one that does not", () => {
    const combined = combineHoldings([
      holdings(1, { data: NO_ASSETS }),
      holdings(2, { error: NETWORK_ERROR }),
    ]);
    expect(combined.data?.map((each) => each.chain.id)).toEqual([1]);
    expect(combined.error).toBe(NETWORK_ERROR);
  });

  it("have an error and no data if no chain responds", () => {
    expect(combineHoldings([holdings(1, { error: NETWORK_ERROR })])).toMatchObject({
      data: undefined,
      error: NETWORK_ERROR,
    });
  });

  it("have the time of the oldest response", () => {
    const combined = combineHoldings([
      holdings(1, { data: NO_ASSETS, dataUpdatedAt: 200 }),
      holdings(2, { data: NO_ASSETS, dataUpdatedAt: 100, error: NETWORK_ERROR }),
    ]);
    expect(combined.dataUpdatedAt).toBe(100);
  });
});
