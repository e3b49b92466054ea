import {
  Cloud,
  type FileData,
  File as ParseFile,
  ParseObject,
  type SaveOptions,
  type TransferOptions,
  transfer,
  Web3API,
} from "@purse/client";
import { useCallback, useState } from "react";
import { type Callbacks, withCallbacks } from "./callbacks.ts";
import { getChain } from "./chains.ts";
import { type AsyncCallOptions, useAsyncCall } from "./useAsyncCall.ts";
import { useMoralis } from "./useMoralis.ts";

type Params = Record<string, unknown>;

export function useMoralisCloudFunction<R = unknown>(
  name: string,
  params: Params = {},
  { autoFetch = true }: AsyncCallOptions = {},
) {
  const { setData: _, ...call } = useAsyncCall<R | null, Params>(
    (given) => Cloud.run<R>(name, given),
    params,
    null,
    {
      autoFetch,
    },
  );
  return call;
}

export function useMoralisWeb3Api(): { Web3API: typeof Web3API } & typeof Web3API {
  return { Web3API, ...Web3API };
}

/** Any function of the data service. */
export function useMoralisWeb3ApiCall<R, P extends object>(
  call: (params: P) => Promise<R>,
  params: P,
  options: AsyncCallOptions = {},
) {
  return useAsyncCall<R | null, P>(call, params, null, options);
}

interface AccountParams {
  chain?: string;
  address?: string;
  [name: string]: unknown;
}

/** The connected account and its chain, unless the parameters say otherwise. */
function useAccountParams(params: AccountParams = {}): {
  params: AccountParams & { chain: string; address: string };
  connected: boolean;
} {
  const { account, chainId } = useMoralis();
  const chain = params.chain ?? chainId ?? "eth";
  const address = params.address ?? account ?? "";
  return { params: { ...params, chain, address }, connected: account !== null };
}

export function useNativeBalance(params?: AccountParams, options: AsyncCallOptions = {}) {
  const own = useAccountParams(params);
  const nativeToken = getChain(own.params.chain)?.nativeCurrency ?? null;
  const {
    fetch,
    setData: _,
    ...call
  } = useAsyncCall(
    async (given: typeof own.params) => {
      const { balance } = await Web3API.account.getNativeBalance(given);
      return {
        balance,
        formatted: nativeToken ? formatAmount(balance, nativeToken.decimals, nativeToken.symbol) : null,
      };
    },
    own.params,
    NO_BALANCE,
    { autoFetch: options.autoFetch ?? own.connected },
  );
  return { getBalances: fetch, nativeToken, ...call };
}

const NO_BALANCE: { balance?: string; formatted: string | null } = { formatted: null };

export function useERC20Balances(params?: AccountParams, options: AsyncCallOptions = {}) {
  const own = useAccountParams(params);
  type Balances = Awaited<ReturnType<typeof Web3API.account.getTokenBalances>>;
  const {
    fetch,
    setData: _,
    ...call
  } = useAsyncCall<Balances | null, typeof own.params>(
    (given) => Web3API.account.getTokenBalances(given),
    own.params,
    null,
    { autoFetch: options.autoFetch ?? own.connected },
  );
  return { fetchERC20Balances: fetch, ...call };
}

export function useERC20Transfers(params?: AccountParams, options: AsyncCallOptions = {}) {
  const own = useAccountParams(params);
  type Transfers = Awaited<ReturnType<typeof Web3API.account.getTokenTransfers>>;
  const {
    fetch,
    setData: _,
    ...call
  } = useAsyncCall<Transfers | null, typeof own.params>(
    (given) => Web3API.account.getTokenTransfers(given),
    own.params,
    null,
    { autoFetch: options.autoFetch ?? own.connected },
  );
  return { fetchERC20Transfers: fetch, ...call };
}

export function useWeb3Transfer(params: TransferOptions = {}, options: AsyncCallOptions = {}) {
  const { setData: _, ...call } = useAsyncCall<Awaited<ReturnType<typeof transfer>> | null, TransferOptions>(
    transfer,
    params,
    null,
    options,
  );
  return call;
}

/** Saves new objects of a class. */
export function useNewMoralisObject(className: string) {
  const [state, setState] = useState<{ object: ParseObject | null; isSaving: boolean; error: unknown }>({
    object: null,
    isSaving: false,
    error: null,
  });
  const save = useCallback(
    (
      data: Params,
      { onSuccess, onError, onComplete, throwOnError, ...rest }: SaveOptions & Callbacks<ParseObject> = {},
    ) =>
      withCallbacks(
        async () => {
          setState((before) => ({ ...before, isSaving: true, error: null }));
          try {
            const object = new ParseObject(className);
            await object.save(data, rest);
            setState({ object, isSaving: false, error: null });
            return object;
          } catch (error) {
            setState((before) => ({ ...before, isSaving: false, error }));
            throw error;
          }
        },
        { onSuccess, onError, onComplete, throwOnError },
      ),
    [className],
  );
  return { save, ...state };
}

/** Uploads files. */
export function useMoralisFile() {
  const [state, setState] = useState<{ moralisFile: ParseFile | null; isUploading: boolean; error: unknown }>(
    {
      moralisFile: null,
      isUploading: false,
      error: null,
    },
  );
  const saveFile = useCallback(
    (
      name: string,
      file: FileData,
      options: {
        type?: string;
        metadata?: Record<string, string>;
        tags?: Record<string, string>;
        saveIPFS?: boolean;
      } & Callbacks<ParseFile> = {},
    ) =>
      withCallbacks(async () => {
        setState((before) => ({ ...before, isUploading: true, error: null }));
        try {
          const made = new ParseFile(name, file, options.type, options.metadata, options.tags);
          await (options.saveIPFS ? made.saveIPFS() : made.save());
          setState({ moralisFile: made, isUploading: false, error: null });
          return made;
        } catch (error) {
          setState((before) => ({ ...before, isUploading: false, error }));
          throw error;
        }
      }, options),
    [],
  );
  return { saveFile, ...state };
}

/** At most four significant digits, with the symbol: `1.234 ETH`. */
function formatAmount(value: string, decimals: number, symbol: string): string {
  const digits = value.padStart(decimals + 1, "0");
  const amount = Number(`${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`);
  return `${Number(amount.toPrecision(4))} ${symbol}`;
}
