import type { JsonValue } from "@purse/protocol";
import type { ChainNode, RequestOptions } from "./chainNode.ts";
import { isUnsupportedMethod, RpcError } from "./rpcErrors.ts";

/** Calls a method that not every node has; undefined if this one does not. Rejects like ChainNode. */
export async function requestIfSupported(
  node: Pick<ChainNode, "request">,
  method: string,
  params: JsonValue[],
  options?: RequestOptions,
): Promise<JsonValue | undefined> {
  try {
    return await node.request(method, params, options);
  } catch (error) {
    if (error instanceof RpcError && isUnsupportedMethod(error)) return undefined;
    throw error;
  }
}
