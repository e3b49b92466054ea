import type { Moralis } from "@purse/client";
import { useMemo } from "react";
import { type AsyncCallOptions, useAsyncCall } from "./useAsyncCall.ts";
import { useMoralisContext } from "./useMoralis.ts";

type Web3API = typeof Moralis.Web3API;

/** The data service: `{ Web3API, native, account, token, resolve, defi, storage, info }`. */
export function useMoralisWeb3Api(): { Web3API: Web3API } & Web3API {
  const { Web3API } = useMoralisContext().Moralis;
  return useMemo(() => ({ Web3API, ...Web3API }), [Web3API]);
}

/** Any function of the data service; another function is called anew, so hold it outside the component. */
export function useMoralisWeb3ApiCall<R, P extends object>(
  call: (params: P, options?: { signal?: AbortSignal }) => Promise<R>,
  params?: P,
  options?: AsyncCallOptions,
) {
  return useAnyCall(call, params, options);
}

type SolanaCall = (params?: object, options?: { signal?: AbortSignal }) => Promise<unknown>;

export interface SolanaApi {
  account: { balance: SolanaCall; getSPL: SolanaCall; getNFTs: SolanaCall; getPortfolio: SolanaCall };
  nft: { getNFTMetadata: SolanaCall };
}

/** Solana's data, through cloud functions of the server named `sol-…`; it has them only where a plugin brings them. */
export function useMoralisSolanaApi(): { SolanaAPI: SolanaApi } & SolanaApi {
  const { Moralis } = useMoralisContext();
  return useMemo(() => {
    const call =
      (name: string): SolanaCall =>
      async (params = {}, options) => {
        const user = await Moralis.User.currentAsync();
        const address: unknown = user?.get("solAddress");
        const usual = { network: "mainnet", responseType: "native", ...(address ? { address } : {}) };
        return Moralis.Cloud.run(`sol-${name}`, { ...usual, ...params }, options);
      };
    const SolanaAPI: SolanaApi = {
      account: {
        balance: call("balance"),
        getSPL: call("getSPL"),
        getNFTs: call("getNFTs"),
        getPortfolio: call("getPortfolio"),
      },
      nft: { getNFTMetadata: call("getNFTMetadata") },
    };
    return { SolanaAPI, ...SolanaAPI };
  }, [Moralis]);
}

/** Any function of the Solana service, as `useMoralisWeb3ApiCall`. */
export function useMoralisSolanaCall<R, P extends object>(
  call: (params: P, options?: { signal?: AbortSignal }) => Promise<R>,
  params?: P,
  options?: AsyncCallOptions,
) {
  return useAnyCall(call, params, options);
}

function useAnyCall<R, P extends object>(
  call: (params: P, options?: { signal?: AbortSignal }) => Promise<R>,
  params: P | undefined,
  options: AsyncCallOptions | undefined,
) {
  return useAsyncCall<R, Partial<P>, null>(lenient(call), params ?? {}, null, options, call);
}

/** What is missing of the parameters comes with `fetch`, or the function itself refuses. */
function lenient<R, P extends object>(
  call: (params: P, options?: { signal?: AbortSignal }) => Promise<R>,
): (params: Partial<P>, options?: { signal?: AbortSignal }) => Promise<R> {
  return (params, options) => Reflect.apply(call, undefined, [params, options]);
}
