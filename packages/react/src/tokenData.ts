import type { ParamsOf, ResultOf, Web3API } from "./accountData.ts";
import { type AsyncCallOptions, type AsyncWork, useAsyncCall, withoutSetData } from "./useAsyncCall.ts";
import { useMoralis } from "./useMoralis.ts";

type TokenApi = Web3API["token"];
type AccountApi = Web3API["account"];
type DefiApi = Web3API["defi"];

/* Figures of tokens, collections, pairs and smart accounts, fetched automatically. */

/** A data API call on the chain of the connected wallet, unless the parameters name another one. */
function useDataCall<P extends { chain?: string | number | undefined }, R>(
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

type ParamsByName = { [Name in keyof TokenApi]: ParamsOf<TokenApi[Name]> };
type TokenCalls = {
  readonly [Name in keyof TokenApi]: AsyncWork<ResultOf<TokenApi[Name]>, ParamsByName[Name]>;
};
type TokenParams<Name extends keyof TokenApi> = ParamsByName[Name];

/** The response of an operation of the data API for a token or a collection. */
function useTokenData<Name extends keyof TokenApi>(
  operation: Name,
  params: TokenParams<Name>,
  options: AsyncCallOptions | undefined,
) {
  return useDataCall(
    ({ token }, given: TokenParams<Name>, signal) => {
      const calls: TokenCalls = token;
      return calls[operation](given, signal);
    },
    params,
    options,
  );
}

/** The owners of a token with balances and shares, the largest first. */
export function useTokenOwners(params: TokenParams<"getTokenOwners">, options?: AsyncCallOptions) {
  const { fetch, ...call } = useTokenData("getTokenOwners", params, options);
  return { fetchTokenOwners: fetch, ...call };
}

/** Supply, numbers of holders and transfers, and creator of a token. */
export function useTokenStats(params: TokenParams<"getTokenStats">, options?: AsyncCallOptions) {
  const { fetch, ...call } = useTokenData("getTokenStats", params, options);
  return { fetchTokenStats: fetch, ...call };
}

/** The number of holders of a token over time. */
export function useTokenHolderHistory(
  params: TokenParams<"getHistoricalTokenHolders">,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useTokenData("getHistoricalTokenHolders", params, options);
  return { fetchTokenHolderHistory: fetch, ...call };
}

/** The prices of several tokens with their change within 24 hours. */
export function useTokenPrices(params: TokenParams<"getMultipleTokenPrices">, options?: AsyncCallOptions) {
  const { fetch, ...call } = useTokenData("getMultipleTokenPrices", params, options);
  return { fetchTokenPrices: fetch, ...call };
}

/** The price history of a token. */
export function useTokenCandlesticks(
  params: TokenParams<"getTokenCandlesticks">,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useTokenData("getTokenCandlesticks", params, options);
  return { fetchTokenCandlesticks: fetch, ...call };
}

/** The price history of a pair of an exchange. */
export function usePairCandlesticks(
  params: ParamsOf<DefiApi["getPairCandlesticks"]>,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useDataCall(
    ({ defi }, given, signal) => defi.getPairCandlesticks(given, signal),
    params,
    options,
  );
  return { fetchPairCandlesticks: fetch, ...call };
}

/** Tokens by symbol, name or address. */
export function useTokenSearch(params: TokenParams<"searchTokens">, options?: AsyncCallOptions) {
  const { fetch, ...call } = useTokenData("searchTokens", params, options);
  return { fetchTokens: fetch, ...call };
}

/** Owners, sales, floor price and volume of a collection. */
export function useNFTCollectionStats(
  params: TokenParams<"getNFTCollectionStats">,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useTokenData("getNFTCollectionStats", params, options);
  return { fetchNFTCollectionStats: fetch, ...call };
}

/** The traits of a collection with the number and share of tokens that have each value. */
export function useNFTTraits(params: TokenParams<"getNFTTraitsByCollection">, options?: AsyncCallOptions) {
  const { fetch, ...call } = useTokenData("getNFTTraitsByCollection", params, options);
  return { fetchNFTTraits: fetch, ...call };
}

/** The tokens of a collection with the rarity of their traits, the rarest first. */
export function useNFTRarity(params: TokenParams<"getNFTCollectionRarity">, options?: AsyncCallOptions) {
  const { fetch, ...call } = useTokenData("getNFTCollectionRarity", params, options);
  return { fetchNFTRarity: fetch, ...call };
}

/** The user operations (ERC-4337) of a smart account or a paymaster, latest first. */
export function useUserOperations(
  params: ParamsOf<AccountApi["getUserOperations"]>,
  options?: AsyncCallOptions,
) {
  const { fetch, ...call } = useDataCall(
    ({ account }, given, signal) => account.getUserOperations(given, signal),
    params,
    options,
  );
  return { fetchUserOperations: fetch, ...call };
}
