import { createPublicClient, custom } from "viem";
import { expect, it } from "vitest";
import { minedReceipt } from "./minedReceipt.ts";
import { until } from "./until.ts";

const HASH = `0x${"12".repeat(32)}` as const;

it("minedReceipt() returns the receipt of a transaction in the last block, which is mined while the node responds slowly", async () => {
  let isMined = false;
  const respond: Record<string, () => unknown> = {
    eth_blockNumber: () => (isMined ? "0x2" : "0x1"),
    eth_getTransactionByHash: () => ({
      hash: HASH,
      blockNumber: null,
      from: "0x1",
      nonce: "0x0",
      type: "0x2",
    }),
    // Not before the transaction is mined.
    async eth_getBlockByNumber() {
      await until(() => isMined);
      return { number: "0x1", transactions: [] };
    },
    eth_getTransactionReceipt() {
      if (isMined) return { transactionHash: HASH, blockNumber: "0x2", status: "0x1", logs: [] };
      // After this response.
      setImmediate(() => {
        isMined = true;
      });
      return null;
    },
  };
  const transport = custom({ request: async ({ method }: { method: string }) => respond[method]?.() });
  const node = createPublicClient({ transport, pollingInterval: 20, cacheTime: 0 });
  expect(await minedReceipt(node, HASH)).toMatchObject({ status: "success", blockNumber: 2n });
});
