/** Where a transaction was when this browser last saw it. */
export interface Seen {
  block: string;
  blockHash: string;
}

/** Kept until the tab is closed, so that what a reorganisation takes away can be told from what never was. */
export function remember(
  chain: string,
  transaction: { hash: string; block_number: string; block_hash: string },
): void {
  const seen: Seen = { block: transaction.block_number, blockHash: transaction.block_hash };
  try {
    sessionStorage.setItem(keyOf(chain, transaction.hash), JSON.stringify(seen));
  } catch {
    // Storage may be switched off or full: then nothing is remembered.
  }
}

export function lastSeen(chain: string, hash: string): Seen | undefined {
  try {
    const seen: unknown = JSON.parse(sessionStorage.getItem(keyOf(chain, hash)) ?? "null");
    if (typeof seen !== "object" || seen === null || !("block" in seen) || !("blockHash" in seen))
      return undefined;
    return { block: String(seen.block), blockHash: String(seen.blockHash) };
  } catch {
    return undefined;
  }
}

function keyOf(chain: string, hash: string): string {
  return `purse/seen/${chain}/${hash}`;
}
