import { loadJson, saveJson } from "@purse/ui";

/** The block of a transaction when this browser last showed it. */
export interface ViewedTransaction {
  block: string;
  blockHash: string;
}

/** Stored for the session, to distinguish transactions removed by a reorganization from unknown ones. */
export function rememberTransaction(
  chain: string,
  transaction: { hash: string; block_number: string; block_hash: string },
): void {
  const viewed: ViewedTransaction = { block: transaction.block_number, blockHash: transaction.block_hash };
  saveJson(sessionStorage, keyOf(chain, transaction.hash), viewed);
}

export function lastViewed(chain: string, hash: string): ViewedTransaction | undefined {
  const viewed = loadJson(sessionStorage, keyOf(chain, hash));
  if (typeof viewed !== "object" || viewed === null || !("block" in viewed) || !("blockHash" in viewed))
    return undefined;
  return { block: String(viewed.block), blockHash: String(viewed.blockHash) };
}

function keyOf(chain: string, hash: string): string {
  return `purse/seen/${chain}/${hash}`;
}
