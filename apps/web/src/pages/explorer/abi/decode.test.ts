import { methodOf } from "@purse/protocol";
import {
  type Abi,
  encodeAbiParameters,
  encodeFunctionData,
  pad,
  parseAbi,
  toEventSelector,
  toHex,
} from "viem";
import { describe, expect, it } from "vitest";
import { decodeInput, decodeLog } from "./decode.ts";
import { MARKETPLACES } from "./marketplaces.ts";

const ADA = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const BOB = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const transfer = encodeFunctionData({
  abi: parseAbi(["function transfer(address to, uint256 amount)"]),
  args: [ADA, 12n],
});
const TRANSFER = toEventSelector("Transfer(address,address,uint256)");

describe("a known function", () => {
  it("is named by its selector", () => {
    expect(methodOf(transfer)).toBe("transfer");
    expect(methodOf("0x70a08231")).toBe("balanceOf");
    expect(methodOf("0x022c0d9f")).toBe("swap");
    expect(methodOf("0x10d1e85c")).toBe("uniswapV2Call");
    expect(methodOf("0x")).toBeUndefined();
    expect(methodOf("0xdeadbeef")).toBe("0xdeadbeef");
  });

  it("is decoded with its arguments", () => {
    expect(decodeInput(transfer)).toEqual({
      name: "transfer",
      signature: "transfer(address to, uint256 amount)",
      values: [
        { name: "to", type: "address", text: ADA },
        { name: "amount", type: "uint256", text: "12" },
      ],
    });
  });

  it("can come from the user's ABI, which has precedence", () => {
    const own = parseAbi([
      "function transfer(address who, uint256 units)",
      "function odd(bool flag)",
      "event Odd(bool flag)",
    ]);
    expect(decodeInput(transfer, own)?.signature).toBe("transfer(address who, uint256 units)");
    const odd = encodeFunctionData({ abi: own, functionName: "odd", args: [true] });
    expect(decodeInput(odd)).toBeUndefined();
    expect(decodeInput(odd, own)?.values).toEqual([{ name: "flag", type: "bool", text: "true" }]);
    const log = {
      topics: [toEventSelector("Odd(bool)")],
      data: encodeAbiParameters([{ type: "bool" }], [true]),
    };
    expect(decodeLog(log)).toBeUndefined();
    expect(decodeLog(log, own)).toMatchObject({ name: "Odd", values: [{ text: "true" }] });
  });

  it("has the items of tuples and arrays decoded", () => {
    const abi = parseAbi([
      "function aggregate3((address target, bool allowFailure, bytes callData)[] calls)",
    ]);
    const data = encodeFunctionData({
      abi,
      args: [[{ target: BOB, allowFailure: true, callData: "0x1234" }]],
    });
    const [calls] = decodeInput(data)?.values ?? [];
    expect(calls?.items?.[0]?.items?.map(({ name, text }) => [name, text])).toEqual([
      ["target", BOB],
      ["allowFailure", "true"],
      ["callData", "0x1234"],
    ]);
  });

  it.each(["0x", "0xa9059cbb", transfer.slice(0, 60), "no hex", `0xdeadbeef${"00".repeat(64)}`])(
    "is not found in %s",
    (input) => {
      expect(decodeInput(input)).toBeUndefined();
    },
  );
});

describe("marketplace functions", () => {
  it.each([
    ["0xfb0f3ee1", "fulfillBasicOrder"],
    ["0x00000000", "fulfillBasicOrder_efficient_6GL6yc"],
    ["0xb3a34c4c", "fulfillOrder"],
    ["0xe7acab24", "fulfillAdvancedOrder"],
    ["0xed98a574", "fulfillAvailableOrders"],
    ["0x87201b41", "fulfillAvailableAdvancedOrders"],
    ["0xa8174404", "matchOrders"],
    ["0xf2d12b12", "matchAdvancedOrders"],
    ["0xfd9f1e10", "cancel"],
    ["0x88147732", "validate"],
    ["0xb4e4b296", "matchAskWithTakerBidUsingETHAndWETH"],
    ["0x38e29209", "matchAskWithTakerBid"],
    ["0x3b6d032e", "matchBidWithTakerAsk"],
    ["0x9a1fc3a7", "execute"],
    ["0xb3be57f8", "bulkExecute"],
    ["0x8264fe98", "buyPunk"],
  ])("have for the selector %s the name %s", (selector, name) => {
    expect(methodOf(selector)).toBe(name);
  });

  it("are decoded down to the offered items", () => {
    const abi: Abi = parseAbi(MARKETPLACES);
    const zero = `0x${"00".repeat(32)}` as const;
    const parameters = {
      offerer: ADA,
      zone: ADA,
      offer: [{ itemType: 2, token: BOB, identifierOrCriteria: 7n, startAmount: 1n, endAmount: 1n }],
      consideration: [],
      orderType: 0,
      startTime: 1n,
      endTime: 2n,
      zoneHash: zero,
      salt: 3n,
      conduitKey: zero,
      totalOriginalConsiderationItems: 0n,
    } as const;
    const order = { parameters, numerator: 1n, denominator: 1n, signature: "0x", extraData: "0x" } as const;
    const data = encodeFunctionData({
      abi,
      functionName: "fulfillAdvancedOrder",
      args: [order, [], zero, BOB],
    });
    const [advanced, , , recipient] = decodeInput(data)?.values ?? [];
    expect(recipient).toMatchObject({ name: "recipient", text: BOB });
    const offer = advanced?.items?.[0]?.items?.find(({ name }) => name === "offer");
    expect(offer?.items?.[0]?.items?.map(({ text }) => text)).toEqual(["2", BOB, "7", "1", "1"]);
  });
});

describe("a known event", () => {
  const topics = [TRANSFER, pad(ADA), pad(BOB)];

  it("is distinguished from another with the same topic by its indexed parameters", () => {
    const coins = decodeLog({ topics, data: encodeAbiParameters([{ type: "uint256" }], [7n]) });
    const piece = decodeLog({ topics: [...topics, pad(toHex(7n))], data: "0x" });
    expect(coins?.values.at(-1)).toEqual({ name: "value", type: "uint256", text: "7" });
    expect(piece?.values.at(-1)).toEqual({ name: "tokenId", type: "uint256", text: "7" });
  });

  it.each([
    { topics: [], data: "0x" },
    { topics, data: "0x12" },
    { topics: ["0x12"], data: "0x" },
    { topics: [TRANSFER, "junk", "junk"], data: "0x" },
  ])("is not found in %j", (log) => {
    expect(decodeLog(log)).toBeUndefined();
  });
});
