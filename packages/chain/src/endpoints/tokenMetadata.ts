import type { TokenMetadata } from "../model/tokens.ts";
import { getTokenMetadata } from "../node/tokens.ts";
import { type ChainContext, withNodeErrors } from "./chainContext.ts";

/** Reads the metadata of tokens: once from each contract, then from the index. */
export async function loadTokenMetadata(
  chain: ChainContext,
  addresses: string[],
  standard: number,
): Promise<Map<string, TokenMetadata>> {
  const { node, store } = chain;
  const metadata = await store.tokenMetadata(addresses);
  const missing = addresses.filter((address) => !metadata.has(address));
  if (missing.length === 0) return metadata;
  const fetched = await withNodeErrors(chain, undefined, () =>
    getTokenMetadata(
      node,
      missing.map((address) => ({ address, standard })),
    ),
  );
  // A contract without name, symbol and decimals may not be deployed yet.
  chain.saveTokenMetadata(
    fetched.filter(({ name, symbol, decimals }) => name !== null || symbol !== null || decimals !== null),
  );
  for (const token of fetched) metadata.set(token.address, token);
  return metadata;
}
