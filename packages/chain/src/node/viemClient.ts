import {
  BaseError,
  type CallParameters,
  type Client,
  type ClientConfig,
  createClient,
  custom,
  type Hex,
} from "viem";
import { call } from "viem/actions";
import type { ChainNode, ContractCall, RequestOptions } from "./chainNode.ts";
import { isContractError, isNodeError, RpcError } from "./rpcErrors.ts";

/** Min gas limit for calls that nodes allow. */
const GAS = 25_000_000;

/** Creates a client of viem that sends its calls through a node, whose checks and limits therefore hold. */
export function createViemClient(
  node: ChainNode,
  config: Pick<ClientConfig, "batch" | "ccipRead" | "chain">,
  options?: RequestOptions,
): Client {
  const transport = custom(
    {
      async request({ params: [request, block] }: { params: [Omit<ContractCall, "gas">, string] }) {
        const tag = block === "latest" ? block : Number(block);
        const outcome = await node.callWithError({ ...request, gas: GAS }, tag, options);
        if ("error" in outcome) throw outcome.error;
        return outcome.result;
      },
    },
    // The node retries by itself.
    { retryCount: 0 },
  );
  return createClient({ ...config, transport });
}

/** Executes a call; undefined if it reverts. Rejects with the errors of ChainNode. */
export async function callContract(client: Client, parameters: CallParameters): Promise<Hex | undefined> {
  try {
    return (await call(client, parameters)).data ?? "0x";
  } catch (error) {
    const cause = error instanceof BaseError ? error.walk(isFailureOfNode) : error;
    if (cause) throw cause;
    return undefined;
  }
}

function isFailureOfNode(error: unknown): boolean {
  return isNodeError(error) && !(error instanceof RpcError && isContractError(error));
}
