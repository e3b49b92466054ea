import type { ParamsOf, Web3API } from "./accountData.ts";
import { type AsyncCallOptions, useAsyncCall, withoutSetData } from "./useAsyncCall.ts";
import { useMoralis } from "./useMoralis.ts";

type TokenApi = Web3API["token"];

/* Figures of tokens and collections, fetched automatically. */

/** A data API call on the chain of the connected wallet, unless the parameters name another one. */
function useTokenData<P extends { chain?: string | number | undefined }, R>(
  work: (token: TokenApi, params: P, options: { signal?: AbortSignal }) => Promise<R>,
  params: P,
  options: AsyncCallOptions | undefined,
) {
  const { chainId, Moralis } = useMoralis();
  const onChain = { ...params, chain: params.chain ?? chainId ?? "eth" };
  return withoutSetData(
    useAsyncCall<R, P, null>((given, signal) => work(Moralis.Web3API.token, given, signal), onChain, null, {
      autoFetch: true,
      ...options,
    }),
  );
}

/** The owners of a token with balances and shares, the largest first. */
export function useTokenOwners(params: ParamsOf<TokenApi["getTokenOwners"]>, options?: AsyncCallOptions) {
  const { fetch, ...call } = useTokenData(
    (token, given, signal) => token.getTokenOwners(given, signal),
    params,
    options,
  );
  return { fetchTokenOwners: fetch, ...call };
}

/** Supply, numbers of holders and transfers, and creator of a token. */
export function useTokenStats(params: ParamsOf<TokenApi["getTokenStats"]>, options?: AsyncCallOptions) {
  const { fetch, ...call } = useTokenData(
    (token, given, signal) => token.getTokenStats(given, signal),
    params,
    options,
  );
  return { fetchTokenStats: fetch, ...call };
}

/** The prices of several tokens with their change within 24 hours. */
export function useTokenPrices(
  params: ParamsOf<TokenApi["getMultipleTokenPrices"]>,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useTokenData(
    (token, given, signal) => token.getMultipleTokenPrices(given, signal),
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
    (token, given, signal) => token.getTokenCandlesticks(given, signal),
    params,
    options,
  );
  return { fetchTokenCandlesticks: fetch, ...call };
}

/** Tokens by symbol, name or address. */
export function useTokenSearch(params: ParamsOf<TokenApi["searchTokens"]>, options?: AsyncCallOptions) {
  const { fetch, ...call } = useTokenData(
    (token, given, signal) => token.searchTokens(given, signal),
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
    (token, given, signal) => token.getNFTCollectionStats(given, signal),
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
    (token, given, signal) => token.getNFTTraitsByCollection(given, signal),
    params,
    options,
  );
  return { fetchNFTTraits: fetch, ...call };
}
