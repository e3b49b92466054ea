import type { Eip1193Provider } from "./eip1193.ts";
import type { TransactionReference } from "./transactionReference.ts";

/** The number of transactions of the sender until a block; null if the sender is unknown. */
export async function usedNonces(
  { from }: TransactionReference,
  provider: Eip1193Provider,
  block: string = "latest",
): Promise<number | null> {
  if (!from) return null;
  return Number(await provider.request({ method: "eth_getTransactionCount", params: [from, block] }));
}
