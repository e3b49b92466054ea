import { describe, expect, it } from "vitest";
import {
  COIN,
  minimumReceived,
  type Order,
  orderKind,
  orderParams,
  parseQuote,
  parseSwapCalls,
  priceImpact,
  wrapCall,
} from "./quote.ts";

const ACCOUNT = `0x${"a1".repeat(20)}`;
const TOKEN = `0x${"b2".repeat(20)}`;
const WRAPPED = `0x${"c3".repeat(20)}`;
const ROUTER = `0x${"d4".repeat(20)}`;
const SELL: Order = { chain: "0x539", from: TOKEN, to: null, amount: 100n };
const BUY: Order = { chain: "0x539", from: null, to: TOKEN, amount: 7n };

const response = (result: object) => ({ data: { success: true, result } });
const transaction = (to: string, data: string, value = "0", from = ACCOUNT) => ({
  name: "web3Transaction",
  data: { from, to, data, value },
});
const APPROVAL = transaction(TOKEN, `0x095ea7b3${"0".repeat(128)}`);
const SWAP = transaction(ROUTER, "0x18cbafe5");

describe("a swap order", () => {
  it("wraps and unwraps the native coin without an exchange", () => {
    expect(orderKind({ from: null, to: WRAPPED }, WRAPPED)).toBe("wrap");
    expect(orderKind({ from: WRAPPED, to: null }, WRAPPED)).toBe("unwrap");
    expect(orderKind({ from: null, to: TOKEN }, WRAPPED)).toBe("pool");
    expect(orderKind({ from: TOKEN, to: TOKEN }, WRAPPED)).toBeUndefined();
    expect(wrapCall("wrap", WRAPPED, 5n)).toMatchObject({ to: WRAPPED, value: 5n, data: "0xd0e30db0" });
    expect(wrapCall("unwrap", WRAPPED, 5n)).toMatchObject({
      value: 0n,
      data: `0x2e1a7d4d${"0".repeat(63)}5`,
    });
  });

  it("uses the plugin's address of the native coin", () => {
    expect(orderParams(BUY)).toEqual({
      chain: "0x539",
      fromTokenAddress: COIN,
      toTokenAddress: TOKEN,
      amount: "7",
    });
  });
});

describe("a quote", () => {
  it("has the price impact of its amount", () => {
    const quote = response({ toTokenAmount: "95000000", exchange: "Uniswap v2", path: [TOKEN, WRAPPED] });
    expect(parseQuote(quote, response({ toTokenAmount: "100000" }))).toEqual({
      kind: "pool",
      amountOut: 95_000_000n,
      exchange: "Uniswap v2",
      path: [TOKEN, WRAPPED],
      priceImpact: 0.05,
    });
    expect(parseQuote(quote, undefined).priceImpact).toBeNull();
  });

  it("has no price impact if the small result has too few digits", () => {
    expect(priceImpact(950n, 1n)).toBeNull();
    expect(priceImpact(200_000_000n, 100_000n)).toBe(0);
  });

  it("is rejected if the plugin failed or its response has no amount", () => {
    expect(() => parseQuote({ data: { success: false } }, undefined)).toThrow("unexpected response");
    expect(() => parseQuote(response({ toTokenAmount: 5 }), undefined)).toThrow("unexpected response");
  });

  it("has a minimum received amount after slippage", () => {
    expect(minimumReceived(10_000n, 0.5)).toBe(9_950n);
    expect(minimumReceived(3n, 50)).toBe(1n);
  });
});

describe("the calls of a swap", () => {
  it("are the approval of the token and the swap", () => {
    const calls = parseSwapCalls(response({ triggers: [APPROVAL, SWAP] }), SELL, ACCOUNT);
    expect(calls.map(({ kind, to }) => [kind, to])).toEqual([
      ["approve", TOKEN],
      ["swap", ROUTER],
    ]);
    const [buy] = parseSwapCalls(
      response({ triggers: [transaction(ROUTER, "0x7ff36ab5", "7")] }),
      BUY,
      ACCOUNT,
    );
    expect(buy).toMatchObject({ kind: "swap", value: 7n });
  });

  it.each([
    ["of another account", [transaction(ROUTER, "0x18cbafe5", "0", ROUTER)]],
    ["with coins that are not swapped", [transaction(ROUTER, "0x18cbafe5", "1")]],
    ["that approve another token", [transaction(WRAPPED, APPROVAL.data.data), SWAP]],
    ["that transfer tokens before", [transaction(TOKEN, "0xa9059cbb00"), SWAP]],
    ["that are not transactions", [{ name: "openUrl", data: { url: "https://example.com" } }]],
  ])("are rejected if there are calls %s", (_, triggers) => {
    expect(() => parseSwapCalls(response({ triggers }), SELL, ACCOUNT)).toThrow("unexpected transaction");
  });
});
