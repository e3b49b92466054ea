import { type Address, createClient, type Hash, type Hex, http, rpcSchema } from "viem";

/** Anvil's JSON-RPC methods and the standard methods that are used here. */
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
  /** Optional block time, in seconds since the epoch. */
  { Method: "evm_mine"; Parameters: [number] | []; ReturnType: Hex },
  { Method: "anvil_setBalance"; Parameters: [Address, Hex]; ReturnType: null },
  /** `true` includes the states of past blocks. Returns gzipped JSON. */
  { Method: "anvil_dumpState"; Parameters: [boolean]; ReturnType: Hex },
];

export type NodeClient = ReturnType<typeof nodeClient>;

/**
 * Creates a client of the local node. Concurrent calls share a request. Calls are not retried, because the node is on this
 * machine. State dumps can have any size.
 */
export function nodeClient(url: string) {
  return createClient({
    transport: http(url, { batch: true, retryCount: 0, timeout: 30_000, maxResponseBodySize: false }),
    rpcSchema: rpcSchema<NodeMethods>(),
  });
}
