import { type AsyncCallOptions, useAsyncCall, withoutSetData } from "./useAsyncCall.ts";
import { useMoralisContext } from "./useMoralis.ts";

type Params = Record<string, unknown>;

/** Calls a cloud function, at once and again when its name or its parameters change. */
export function useMoralisCloudFunction<R = unknown>(
  name: string,
  params: Params = {},
  options: AsyncCallOptions = {},
) {
  const { Moralis } = useMoralisContext();
  const call = useAsyncCall<R, Params, null>(
    (given, signal) => Moralis.Cloud.run<R>(name, given, signal),
    params,
    null,
    { autoFetch: true, ...options },
    name,
  );
  return withoutSetData(call);
}
