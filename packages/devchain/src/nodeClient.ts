import { type Address, createClient, type Hash, type Hex, http, rpcSchema } from "viem";

/** The JSON-RPC methods of Anvil that we call, beside the standard ones used here. */
type NodeMethods = [
  { Method: "eth_chainId"; Parameters?: undefined; ReturnType: Hex },
  { Method: "eth_getCode"; Parameters: [Address, "latest"]; ReturnType: Hex },
  {
    Method: "eth_getBlockByNumber";
    Parameters: ["latest", false];
    ReturnType: { hash: Hash; number: Hex; timestamp: Hex };
  },
  { Method: "eth_getTransactionCount"; Parameters: [Address, "latest"]; ReturnType: Hex },
  { Method: "eth_call"; Parameters: [{ to: Address; data: Hex }, "latest"]; ReturnType: Hex },
  { Method: "eth_sendRawTransaction"; Parameters: [Hex]; ReturnType: Hash },
  { Method: "eth_getTransactionReceipt"; Parameters: [Hash]; ReturnType: { status: Hex } | null },
  { Method: "evm_setAutomine"; Parameters: [boolean]; ReturnType: null },
  { Method: "evm_setNextBlockTimestamp"; Parameters: [number]; ReturnType: null },
  { Method: "evm_setTime"; Parameters: [number]; ReturnType: number },
  /** Optionally at a time, in seconds since 1970. */
  { Method: "evm_mine"; Parameters: [number] | []; ReturnType: Hex },
  { Method: "anvil_setBalance"; Parameters: [Address, Hex]; ReturnType: null },
  /** `true`: with the state at each past block. Returns gzipped JSON. */
  { Method: "anvil_dumpState"; Parameters: [boolean]; ReturnType: Hex },
];

export type NodeClient = ReturnType<typeof nodeClient>;

/**
 * A client of the local node. Calls are not retried: the node is on this machine, what fails once is wrong. A state
 * dump may be of any size.
 */
export function nodeClient(url: string) {
  return createClient({
    transport: http(url, { retryCount: 0, timeout: 30_000, maxResponseBodySize: false }),
    rpcSchema: rpcSchema<NodeMethods>(),
  });
}
