import type { TokenMetadata } from "../model/tokens.ts";
import { RpcError, RpcUnreachableError } from "../node/rpcErrors.ts";
import { readTokenMetadata } from "../node/tokens.ts";
import { type ChainContext, withNodeErrors } from "./chainContext.ts";

/** Age after which metadata is read from the contract again, in s: tokens can be renamed without an event. */
const MAX_AGE_S = 3_600;

/**
 * Reads the metadata of tokens from the index, or from the contract if it is missing or outdated. Outdated metadata is
 * used if no node responds.
 */
export async function loadTokenMetadata(
  chain: ChainContext,
  addresses: string[],
  standard: number,
): Promise<Map<string, TokenMetadata>> {
  return loadMetadata(chain, new Map(addresses.map((address) => [address, standard])));
}

/** Like `loadTokenMetadata`, for tokens of several standards, which are given by address. */
export async function loadMetadata(
  chain: ChainContext,
  standards: ReadonlyMap<string, number>,
): Promise<Map<string, TokenMetadata>> {
  const stored = await chain.store.tokens.metadata([...standards.keys()]);
  const oldest = Math.floor(Date.now() / 1000) - MAX_AGE_S;
  const due = [...standards].flatMap(([address, standard]) =>
    (stored.get(address)?.readAt ?? 0) < oldest ? [{ address, standard }] : [],
  );
  if (due.length === 0) return stored;
  try {
    const read = await refreshTokenMetadata(chain, due);
    return new Map([...stored, ...read]);
  } catch (error) {
    const isUnavailable = error instanceof RpcUnreachableError || error instanceof RpcError;
    if (isUnavailable && due.every(({ address }) => stored.has(address))) return stored;
    return withNodeErrors(chain, undefined, () => Promise.reject(error));
  }
}

/** Reads the metadata of tokens from their contracts and stores it. Rejects like ChainNode. */
export async function refreshTokenMetadata(
  chain: ChainContext,
  contracts: { address: string; standard: number }[],
): Promise<Map<string, TokenMetadata>> {
  const reading = await readTokenMetadata(chain.node, contracts);
  // A contract without name, symbol and decimals may not be deployed yet.
  const tokens = reading.tokens.filter(
    ({ name, symbol, decimals }) => name !== null || symbol !== null || decimals !== null,
  );
  if (tokens.length > 0) chain.saveTokenMetadata({ ...reading, tokens });
  return new Map(reading.tokens.map((token) => [token.address, token]));
}
