import type { FunctionCall, TransferOptions } from "@purse/client";
import { type AsyncCallOptions, useAsyncCall, withoutSetData } from "./useAsyncCall.ts";
import { useMoralisContext } from "./useMoralis.ts";

/** Sends native currency or tokens; see the client's `transfer`. */
export function useWeb3Transfer(params: TransferOptions = {}, options?: AsyncCallOptions) {
  const { Moralis } = useMoralisContext();
  type Sent = Awaited<ReturnType<typeof Moralis.transfer>>;
  return useAsyncCall<Sent, TransferOptions, null>(
    (given, signal) => Moralis.transfer({ ...signal, ...given }),
    params,
    null,
    options,
  );
}

/** A contract call; missing fields are passed to `fetch`. */
export type ContractCall = Partial<FunctionCall>;

/** Calls a contract's function by the wallet: reads its result, or sends a transaction. */
export function useWeb3ExecuteFunction(params: ContractCall = {}, options?: AsyncCallOptions) {
  const { Moralis } = useMoralisContext();
  return useAsyncCall<unknown, ContractCall>(
    ({ contractAddress = "", abi = [], functionName = "", ...rest }, signal) =>
      Moralis.executeFunction({ contractAddress, abi, functionName, ...signal, ...rest }),
    params,
    null,
    options,
  );
}

/** The same as `runContractFunction`, on demand. */
export function useWeb3Contract(params: ContractCall = {}) {
  const { fetch, ...call } = useWeb3ExecuteFunction(params);
  return { runContractFunction: fetch, ...call };
}

/** A read-only contract call through the data API. */
export interface ApiContractCall {
  address?: string;
  functionName?: string;
  abi?: object;
  chain?: string | number;
  params?: object;
}

/** Reads a contract's function through the data API, on demand; no wallet is needed. */
export function useApiContract(params: ApiContractCall = {}, options?: AsyncCallOptions) {
  const { Moralis } = useMoralisContext();
  const { fetch, ...call } = withoutSetData(
    useAsyncCall<string, ApiContractCall, null>(
      ({ abi = [], functionName = "", ...given }, signal) =>
        Moralis.Web3API.native.runContractFunction({ abi, function_name: functionName, ...given }, signal),
      params,
      null,
      options,
    ),
  );
  return { runContractFunction: fetch, ...call };
}
