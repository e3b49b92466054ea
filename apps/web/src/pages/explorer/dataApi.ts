import type { Block, Web3API } from "@purse/client";
import { batchCall, callFunction, resultOrThrow } from "../../wallet/batchCall.ts";

interface Options {
  signal?: AbortSignal;
}

type Operation = (parameters: never) => Promise<unknown>;
type BatchedOperation<O extends Operation> = (
  params: Parameters<O>[0] & object,
  options?: Options,
) => Promise<Awaited<ReturnType<O>>>;

/**
 * Wraps a data API operation that often finds nothing into a batch call, because browsers log rejected requests
 * as errors. Throws the same ParseError as the operation.
 */
function batched<O extends Operation>(name: string): BatchedOperation<O> {
  return async (params, options) => Object(await callFunction(name, params, options));
}

/** Reads blocks by their numbers in one request. Throws the ParseError of the first that fails. */
export async function getBlocks(
  chain: string,
  numbers: readonly number[],
  options?: Options,
): Promise<Block[]> {
  const params = numbers.map((number) => ({ chain, block_number_or_hash: String(number) }));
  return (await batchCall("getBlock", params, options)).map((result) => Object(resultOrThrow(result)));
}

type Api = typeof Web3API;
export const getBlock = batched<Api["native"]["getBlock"]>("getBlock");
export const getTransaction = batched<Api["native"]["getTransaction"]>("getTransaction");
export const getInternalTransactions =
  batched<Api["native"]["getInternalTransactions"]>("getInternalTransactions");
export const getDateToBlock = batched<Api["native"]["getDateToBlock"]>("getDateToBlock");
export const getLogsByAddress = batched<Api["native"]["getLogsByAddress"]>("getLogsByAddress");
export const getNFTTransfersByBlock =
  batched<Api["native"]["getNFTTransfersByBlock"]>("getNFTTransfersByBlock");
export const getTokenPrice = batched<Api["token"]["getTokenPrice"]>("getTokenPrice");
export const getTokenIdMetadata = batched<Api["token"]["getTokenIdMetadata"]>("getTokenIdMetadata");
export const getNFTMetadata = batched<Api["token"]["getNFTMetadata"]>("getNFTMetadata");
export const getPairAddress = batched<Api["defi"]["getPairAddress"]>("getPairAddress");
export const getPairReserves = batched<Api["defi"]["getPairReserves"]>("getPairReserves");

// Unavailable if the server indexes known wallets only.
export const getTokenOwners = batched<Api["token"]["getTokenOwners"]>("getTokenOwners");
export const getTokenStats = batched<Api["token"]["getTokenStats"]>("getTokenStats");
export const getNFTCollectionStats = batched<Api["token"]["getNFTCollectionStats"]>("getNFTCollectionStats");
export const getNFTTraitsByCollection =
  batched<Api["token"]["getNFTTraitsByCollection"]>("getNFTTraitsByCollection");
export const getNFTCollectionRarity =
  batched<Api["token"]["getNFTCollectionRarity"]>("getNFTCollectionRarity");
export const getWalletStats = batched<Api["account"]["getWalletStats"]>("getWalletStats");
export const getWalletActiveChains =
  batched<Api["account"]["getWalletActiveChains"]>("getWalletActiveChains");

// Unavailable if the chain is not traced.
export const getWalletInternalTransactions = batched<Api["account"]["getWalletInternalTransactions"]>(
  "getWalletInternalTransactions",
);
