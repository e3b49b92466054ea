import type { JsonValue } from "@purse/protocol";
import type { ChainNode, RequestOptions } from "./chainNode.ts";
import { RpcError } from "./rpcErrors.ts";

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
    if (error instanceof RpcError && isUnsupported(error)) return undefined;
    throw error;
  }
}

/** Nodes that do not have a method, or not for this client, report it with code -32601 or only in the message. */
function isUnsupported({ code, message }: RpcError): boolean {
  return (
    code === -32_601 ||
    /method.*(not (found|supported|available|exist|allowed|whitelisted|enabled)|unsupported|disabled)/i.test(
      message,
    )
  );
}
