import type { Hex, PublicClient, TransactionReceipt } from "viem";
import { until } from "./until.ts";

/**
 * Waits for the receipt of a transaction. viem's `waitForTransactionReceipt()` may wait for minutes on a chain that mines a block
 * for each transaction: it looks for the receipt when there is a new block, except while it still looks because of the last one.
 */
export async function minedReceipt(
  node: Pick<PublicClient, "getTransactionReceipt">,
  hash: Hex,
): Promise<TransactionReceipt> {
  let problem: unknown;
  const receipt = () =>
    node.getTransactionReceipt({ hash }).catch((error: unknown) => {
      problem = error;
      return undefined;
    });
  return until(receipt, { otherwise: () => `No receipt: ${problem}` });
}
