import type { JsonObject, JsonValue } from "@purse/protocol";
import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  parseAbi,
} from "viem";
import { describe, expect, it } from "vitest";
import { proxyNode } from "../../test/proxyNode.ts";
import { ChainNode } from "../node/chainNode.ts";
import type { ChainContext } from "./chainContext.ts";
import { contractHandlers } from "./contracts.ts";
import { createRoute } from "./routes.ts";

const abi = parseAbi([
  "struct Point { int8 x; uint256 y; }",
  "struct Line { string name; Point[] points; }",
  "function sum(uint256 a, uint256 b) view returns (uint256)",
  "function sum(uint256[] numbers) view returns (uint256)",
  "function move(Line line, address owner, bool isOpen, bytes4 tag) pure returns (Line moved, bool ok)",
  "function pair() view returns (uint8, address)",
  "function name() view returns (string)",
  "function unnamed(uint256, string) view returns (bool)",
  "function change(uint256 a)",
]);
const ADDRESS = `0x${"ab".repeat(20)}`;

/** A chain whose only contract returns the given data and records its calls. */
async function contract(answer: (data: Hex) => { result: JsonValue } | { error: JsonObject }) {
  const calls: Hex[] = [];
  const node = await proxyNode("http://127.0.0.1:9", ({ method, params: [call] }) => {
    if (method === "eth_chainId") return { result: "0x539" };
    const data: Hex = Object(call).data;
    calls.push(data);
    return answer(data);
  });
  const chain = {
    config: { id: 1337, name: "local", aliases: [], rpcUrls: [] },
    node: new ChainNode(1337, [node.url]),
  };
  const { runContractFunction } = contractHandlers(() => chain as unknown as ChainContext);
  const route = createRoute("runContractFunction", runContractFunction, Buffer.from("key"), () => 1337);
  return {
    calls,
    run: (params: JsonObject) =>
      route.run({ address: ADDRESS, abi: JSON.parse(JSON.stringify(abi)), ...params }),
    stop: () => node.stop(),
  };
}

describe("runContractFunction", () => {
  it("accepts arguments by name and returns a single value as such", {
    tags: ["7.data.endpoint.address-function"],
  }, async () => {
    const { calls, run, stop } = await contract(() => ({
      result: encodeAbiParameters([{ type: "string" }], ["Purse"]),
    }));
    expect(await run({ function_name: "name" })).toBe("Purse");
    expect(decodeFunctionData({ abi, data: calls[0] ?? "0x" }).functionName).toBe("name");
    await stop();
  });

  it("accepts tuples, lists and text, and returns several values by name", async () => {
    const line = { name: "A", points: [{ x: -3, y: 2n ** 255n }] };
    const { calls, run, stop } = await contract(() => ({
      result: encodeFunctionResult({ abi, functionName: "move", result: [line, true] }),
    }));
    const params = {
      line: { name: "A", points: [["-3", String(2n ** 255n)]] },
      owner: ADDRESS.toUpperCase().replace("0X", "0x"),
      isOpen: "false",
      tag: "0x01020304",
    };
    expect(await run({ function_name: "move", params })).toEqual({
      moved: { name: "A", points: [{ x: "-3", y: String(2n ** 255n) }] },
      ok: true,
    });
    const { args } = decodeFunctionData({ abi, data: calls[0] ?? "0x" });
    expect(args).toMatchObject([line, expect.stringMatching(/^0x/), false, "0x01020304"]);
    await stop();
  });

  it("returns unnamed values by index", async () => {
    const { run, stop } = await contract(() => ({
      result: encodeFunctionResult({ abi, functionName: "pair", result: [7, `0x${"ab".repeat(20)}`] }),
    }));
    expect(await run({ function_name: "pair" })).toEqual({ 0: "7", 1: ADDRESS });
    await stop();
  });

  it("calls a function whose entry does not say that it writes", async () => {
    const { run, stop } = await contract(() => ({
      result: encodeAbiParameters([{ type: "uint8" }], [6]),
    }));
    const entry = { name: "decimals", inputs: [], outputs: [{ type: "uint8" }] };
    expect(await run({ function_name: "decimals", abi: [entry] })).toBe("6");
    const writing: JsonObject[] = [{ constant: false }, { payable: true }, { stateMutability: "nonpayable" }];
    for (const writes of writing) {
      const abi = [{ ...entry, ...writes }];
      await expect(run({ function_name: "decimals", abi })).rejects.toThrow("not a view or pure function");
    }
    await stop();
  });

  it("requires the signature of an overloaded function", async () => {
    const { calls, run, stop } = await contract(() => ({
      result: encodeAbiParameters([{ type: "uint256" }], [6n]),
    }));
    await expect(run({ function_name: "sum", params: { numbers: [1] } })).rejects.toMatchObject({
      status: 400,
      message: "function_name is ambiguous: use one of sum(uint256,uint256), sum(uint256[])",
    });
    expect(await run({ function_name: "sum(uint256[])", params: { numbers: "[1, 2, 3]" } })).toBe("6");
    expect(decodeFunctionData({ abi, data: calls[0] ?? "0x" }).args).toEqual([[1n, 2n, 3n]]);
    await stop();
  });

  it.each([
    ["an unknown function", { function_name: "nothing" }, /is not a function of abi/],
    [
      "a function that is not view or pure",
      { function_name: "change", params: { a: 1 } },
      /not a view or pure function/,
    ],
    ["a missing input", { function_name: "sum(uint256,uint256)", params: { a: 1 } }, /^b is required$/],
    ["a missing input without a name", { function_name: "unnamed", params: { 0: 1 } }, /^1 is required$/],
    [
      "a number out of range",
      { function_name: "sum(uint256,uint256)", params: { a: -1, b: 1 } },
      /^a must be/,
    ],
    [
      "a missing field of a tuple",
      { function_name: "move", params: { line: { name: "A" } } },
      /line\.points is required/,
    ],
    ["a missing abi", { function_name: "name", abi: null }, /^param abi is required!$/],
    ["an invalid abi", { function_name: "name", abi: "soon" }, /abi must be/],
  ])("refuses %s", async (_what, params, message) => {
    const { run, stop } = await contract(() => ({ result: "0x" }));
    await expect(run(params)).rejects.toMatchObject({ status: 400, message: expect.stringMatching(message) });
    await stop();
  });

  it("returns the reason of a failed call", async () => {
    const reverts = await contract(() => ({ error: { code: 3, message: "execution reverted: closed" } }));
    await expect(reverts.run({ function_name: "name" })).rejects.toMatchObject({
      status: 400,
      message: "the contract reverted: execution reverted: closed",
    });
    await reverts.stop();
    const absent = await contract(() => ({ result: "0x" }));
    await expect(absent.run({ function_name: "name" })).rejects.toMatchObject({
      message: /no such contract/,
    });
    await absent.stop();
    const other = await contract(() => ({ result: "0x1234" }));
    await expect(other.run({ function_name: "name" })).rejects.toMatchObject({
      message: /does not match abi/,
    });
    await other.stop();
  });

  it("decodes a custom error that abi defines, and removes control characters from messages otherwise", async () => {
    const errorAbi = parseAbi(["error Locked(address owner, uint256 until)"]);
    const data = encodeErrorResult({
      abi: errorAbi,
      errorName: "Locked",
      args: [`0x${"cd".repeat(20)}`, 7n],
    });
    const message = "execution reverted: custom error 0xf988f737: \u0000\u0001x";
    const { run, stop } = await contract(() => ({ error: { code: 3, message, data } }));
    const withError = JSON.parse(JSON.stringify([...abi, ...errorAbi]));
    await expect(run({ function_name: "name", abi: withError })).rejects.toMatchObject({
      status: 400,
      message: `the contract reverted: Locked(owner: "0x${"cd".repeat(20)}", until: "7")`,
    });
    await expect(run({ function_name: "name" })).rejects.toMatchObject({
      message: "the contract reverted: execution reverted: custom error 0xf988f737: x",
    });
    await stop();
  });
});
