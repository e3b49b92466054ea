import { expect, it } from "vitest";
import { readOutput, replay } from "./replayTransaction.ts";

const transaction = {
  from_address: "0xa",
  to_address: "0xb",
  value: "16",
  gas: "255",
  input: "0x",
  block_number: "9",
};

it("readOutput() returns the output of a trace, or 0x for an invalid response", async () => {
  const output = (answer: unknown) => readOutput({ id: "node", request: async () => answer }, "0x");
  expect(await output({ output: "0x01", calls: [] })).toBe("0x01");
  expect(await output({ output: 7 })).toBe("0x");
  expect(await output(null)).toBe("0x");
});

it("replay() calls a transaction on the previous block, and returns its revert data", async () => {
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

it("replay() rejects if the node does not respond", async () => {
  const noAnswer = Object.assign(new Error("No response"), { code: -32603 });
  const node = { id: "node", request: () => Promise.reject(noAnswer) };
  await expect(replay(node, transaction)).rejects.toBe(noAnswer);
});
