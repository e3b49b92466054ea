import type { Moralis } from "@purse/client";
import { useMemo } from "react";
import { type AsyncCallOptions, useAsyncCall } from "./useAsyncCall.ts";
import { useMoralisContext } from "./useMoralis.ts";

type Web3API = typeof Moralis.Web3API;

/** The data API: `{ Web3API, native, account, token, resolve, defi, storage, info }`. */
export function useMoralisWeb3Api(): { Web3API: Web3API } & Web3API {
  const { Web3API } = useMoralisContext().Moralis;
  return useMemo(() => ({ Web3API, ...Web3API }), [Web3API]);
}

/** Calls any function of the data API; a new function identity calls again, so define it outside the component. */
export function useMoralisWeb3ApiCall<R, P extends object>(
  call: (params: P, options?: { signal?: AbortSignal }) => Promise<R>,
  params?: P,
  options?: AsyncCallOptions,
) {
  return useAnyCall(call, params, options);
}

type SolanaAPI = typeof Moralis.SolanaAPI;

/** Solana data, if the server has cloud functions for it: `{ SolanaAPI, account, nft }`. */
export function useMoralisSolanaApi(): { SolanaAPI: SolanaAPI } & SolanaAPI {
  const { SolanaAPI } = useMoralisContext().Moralis;
  return useMemo(() => ({ SolanaAPI, ...SolanaAPI }), [SolanaAPI]);
}

/** Calls any function of the Solana service, as `useMoralisWeb3ApiCall`. */
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
  return useAsyncCall<R, Partial<P>, null>(withPartialParams(call), params ?? {}, null, options, call);
}

/** Makes the parameters optional: missing ones are passed to `fetch`, or the function itself throws. */
function withPartialParams<R, P extends object>(
  call: (params: P, options?: { signal?: AbortSignal }) => Promise<R>,
): (params: Partial<P>, options?: { signal?: AbortSignal }) => Promise<R> {
  return (params, options) => Reflect.apply(call, undefined, [params, options]);
}
