import type { ParamsOf, Web3API } from "./accountData.ts";
import { type AsyncCallOptions, useAsyncCall, withoutSetData } from "./useAsyncCall.ts";
import { useMoralis } from "./useMoralis.ts";

type TokenApi = Web3API["token"];
type AccountApi = Web3API["account"];
type DefiApi = Web3API["defi"];

/* Figures of tokens, collections, pairs and smart accounts, fetched automatically. */

/** A data API call on the chain of the connected wallet, unless the parameters name another one. */
function useTokenData<P extends { chain?: string | number | undefined }, R>(
  work: (api: Web3API, params: P, options: { signal?: AbortSignal }) => Promise<R>,
  params: P,
  options: AsyncCallOptions | undefined,
) {
  const { chainId, Moralis } = useMoralis();
  const onChain = { ...params, chain: params.chain ?? chainId ?? "eth" };
  return withoutSetData(
    useAsyncCall<R, P, null>((given, signal) => work(Moralis.Web3API, given, signal), onChain, null, {
      autoFetch: true,
      ...options,
    }),
  );
}

/** The owners of a token with balances and shares, the largest first. */
export function useTokenOwners(params: ParamsOf<TokenApi["getTokenOwners"]>, options?: AsyncCallOptions) {
  const { fetch, ...call } = useTokenData(
    ({ token }, given, signal) => token.getTokenOwners(given, signal),
    params,
    options,
  );
  return { fetchTokenOwners: fetch, ...call };
}

/** Supply, numbers of holders and transfers, and creator of a token. */
export function useTokenStats(params: ParamsOf<TokenApi["getTokenStats"]>, options?: AsyncCallOptions) {
  const { fetch, ...call } = useTokenData(
    ({ token }, given, signal) => token.getTokenStats(given, signal),
    params,
    options,
  );
  return { fetchTokenStats: fetch, ...call };
}

/** The number of holders of a token over time. */
export function useTokenHolderHistory(
  params: ParamsOf<TokenApi["getHistoricalTokenHolders"]>,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useTokenData(
    ({ token }, given, signal) => token.getHistoricalTokenHolders(given, signal),
    params,
    options,
  );
  return { fetchTokenHolderHistory: fetch, ...call };
}

/** The prices of several tokens with their change within 24 hours. */
export function useTokenPrices(
  params: ParamsOf<TokenApi["getMultipleTokenPrices"]>,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useTokenData(
    ({ token }, given, signal) => token.getMultipleTokenPrices(given, signal),
    params,
    options,
  );
  return { fetchTokenPrices: fetch, ...call };
}

/** The price history of a token. */
export function useTokenCandlesticks(
  params: ParamsOf<TokenApi["getTokenCandlesticks"]>,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useTokenData(
    ({ token }, given, signal) => token.getTokenCandlesticks(given, signal),
    params,
    options,
  );
  return { fetchTokenCandlesticks: fetch, ...call };
}

/** The price history of a pair of an exchange. */
export function usePairCandlesticks(
  params: ParamsOf<DefiApi["getPairCandlesticks"]>,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useTokenData(
    ({ defi }, given, signal) => defi.getPairCandlesticks(given, signal),
    params,
    options,
  );
  return { fetchPairCandlesticks: fetch, ...call };
}

/** Tokens by symbol, name or address. */
export function useTokenSearch(params: ParamsOf<TokenApi["searchTokens"]>, options?: AsyncCallOptions) {
  const { fetch, ...call } = useTokenData(
    ({ token }, given, signal) => token.searchTokens(given, signal),
    params,
    options,
  );
  return { fetchTokens: fetch, ...call };
}

/** Owners, sales, floor price and volume of a collection. */
export function useNFTCollectionStats(
  params: ParamsOf<TokenApi["getNFTCollectionStats"]>,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useTokenData(
    ({ token }, given, signal) => token.getNFTCollectionStats(given, signal),
    params,
    options,
  );
  return { fetchNFTCollectionStats: fetch, ...call };
}

/** The traits of a collection with the number and share of tokens that have each value. */
export function useNFTTraits(
  params: ParamsOf<TokenApi["getNFTTraitsByCollection"]>,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useTokenData(
    ({ token }, given, signal) => token.getNFTTraitsByCollection(given, signal),
    params,
    options,
  );
  return { fetchNFTTraits: fetch, ...call };
}

/** The tokens of a collection with the rarity of their traits, the rarest first. */
export function useNFTRarity(
  params: ParamsOf<TokenApi["getNFTCollectionRarity"]>,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useTokenData(
    ({ token }, given, signal) => token.getNFTCollectionRarity(given, signal),
    params,
    options,
  );
  return { fetchNFTRarity: fetch, ...call };
}

/** The user operations (ERC-4337) of a smart account or a paymaster, latest first. */
export function useUserOperations(
  params: ParamsOf<AccountApi["getUserOperations"]>,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useTokenData(
    ({ account }, given, signal) => account.getUserOperations(given, signal),
    params,
    options,
  );
  return { fetchUserOperations: fetch, ...call };
}
