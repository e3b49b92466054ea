import { type AsyncCallOptions, useAsyncCall } from "./useAsyncCall.ts";
import { useMoralisContext } from "./useMoralis.ts";

type Params = Record<string, unknown>;

/** Calls a cloud function immediately, and again when its name or parameters change. */
export function useMoralisCloudFunction<R = unknown>(
  name: string,
  params: Params = {},
  options: AsyncCallOptions = {},
) {
  const { Moralis } = useMoralisContext();
  return useAsyncCall<R, Params, null>(
    (given, signal) => Moralis.Cloud.run<R>(name, given, signal),
    params,
    null,
    { autoFetch: true, ...options },
    name,
  );
}
