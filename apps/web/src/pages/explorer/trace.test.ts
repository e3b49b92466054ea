import { expect, it } from "vitest";
import { replay, traceTransaction } from "./trace.ts";

const transaction = {
  from_address: "0xa",
  to_address: "0xb",
  value: "16",
  gas: "255",
  input: "0x",
  block_number: "9",
};

it("lists the calls of a trace in their order, with their depth", async () => {
  const trace = {
    output: "0x01",
    calls: [
      { type: "CALL", from: "0x1", to: "0x2", value: "0xf", input: "0x", calls: [{ type: "STATICCALL" }] },
      { type: "CREATE", error: "out of gas" },
    ],
  };
  const { calls, output } = await traceTransaction({ id: "node", request: async () => trace }, "0x");
  expect(output).toBe("0x01");
  expect(calls.map(({ depth, type, value, error }) => [depth, type, value, error])).toEqual([
    [0, "CALL", 15n, undefined],
    [1, "STATICCALL", 0n, undefined],
    [0, "CREATE", 0n, "out of gas"],
  ]);
});

it("takes nothing for granted in what a node answers", async () => {
  expect(await traceTransaction({ id: "node", request: async () => null }, "0x")).toEqual({
    output: "0x",
    error: undefined,
    calls: [],
  });
});

it("runs a transaction again on the block before, and reads the data of its revert", async () => {
  const requests: unknown[] = [];
  const node = {
    id: "node",
    async request(_: string, params: readonly unknown[]) {
      requests.push(params);
      throw Object.assign(new Error("execution reverted"), { data: "0x08c379a0" });
    },
  };
  expect(await replay(node, transaction)).toBe("0x08c379a0");
  expect(requests).toEqual([[{ from: "0xa", to: "0xb", value: "0x10", gas: "0xff", data: "0x" }, "0x8"]]);
});

it("does not take a node that gives no answer for one that has no reason to tell", async () => {
  const noAnswer = Object.assign(new Error("No response"), { code: -32603 });
  const node = { id: "node", request: () => Promise.reject(noAnswer) };
  await expect(replay(node, transaction)).rejects.toBe(noAnswer);
});
