import { setTimeout as sleep } from "node:timers/promises";
import type { Hex, PublicClient, TransactionReceipt } from "viem";

const POLL_MS = 20;
const TIMEOUT_MS = 30_000;

/**
 * Waits for the receipt of a transaction. viem's `waitForTransactionReceipt()` may wait for minutes on a chain that mines a block
 * for each transaction: it looks for the receipt when there is a new block, except while it still looks because of the last one.
 */
export async function minedReceipt(
  node: Pick<PublicClient, "getTransactionReceipt">,
  hash: Hex,
): Promise<TransactionReceipt> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return await node.getTransactionReceipt({ hash });
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await sleep(POLL_MS);
  }
}
