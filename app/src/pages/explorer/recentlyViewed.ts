/** Where a transaction was when this browser last saw it. */
export interface ViewedTransaction {
  block: string;
  blockHash: string;
}

/** Kept until the tab is closed, so that what a reorganisation takes away can be told from what never was. */
export function rememberTransaction(
  chain: string,
  transaction: { hash: string; block_number: string; block_hash: string },
): void {
  const viewed: ViewedTransaction = { block: transaction.block_number, blockHash: transaction.block_hash };
  try {
    sessionStorage.setItem(keyOf(chain, transaction.hash), JSON.stringify(viewed));
  } catch {
    // Storage may be switched off or full: then nothing is remembered.
  }
}

export function lastViewed(chain: string, hash: string): ViewedTransaction | undefined {
  try {
    const viewed: unknown = JSON.parse(sessionStorage.getItem(keyOf(chain, hash)) ?? "null");
    if (typeof viewed !== "object" || viewed === null || !("block" in viewed) || !("blockHash" in viewed))
      return undefined;
    return { block: String(viewed.block), blockHash: String(viewed.blockHash) };
  } catch {
    return undefined;
  }
}

function keyOf(chain: string, hash: string): string {
  return `purse/seen/${chain}/${hash}`;
}
