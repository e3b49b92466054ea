import { Web3API } from "@purse/client";

export interface NonceNeighbors {
  previous: string | undefined;
  next: string | undefined;
}

/** Reads the sender's transactions with the previous and the next nonce, if they are nearby. */
export async function readNonceNeighbors(
  { chain, from, nonce, block }: { chain: string; from: string; nonce: string; block: string },
  options?: { signal?: AbortSignal },
): Promise<NonceNeighbors> {
  const list = (range: { to_block: string } | { from_block: string }, order: "asc" | "desc") =>
    Web3API.account.getTransactions({ chain, address: from, limit: 100, order, ...range }, options);
  const [older, newer] = await Promise.all([
    list({ to_block: block }, "desc"),
    list({ from_block: block }, "asc"),
  ]);
  const findByNonce = (requested: number) =>
    [...older.result, ...newer.result].find(
      (each) => each.from_address === from && Number(each.nonce) === requested,
    )?.hash;
  return { previous: findByNonce(Number(nonce) - 1), next: findByNonce(Number(nonce) + 1) };
}
