import type { AbiJson } from "./abi.ts";
import type { WaitOptions } from "./timeouts.ts";
import type { IntegerLike } from "./transfer.ts";

/** A contract call with an ABI that is known at run time. */
export interface FunctionCall {
  contractAddress: string;
  abi: AbiJson;
  /** The name, or the signature of an overloaded function: `stock(string,uint256)`. */
  functionName: string;
  /** Wei. */
  msgValue?: IntegerLike | undefined;
  /** By the names in the ABI; unnamed inputs by their index. */
  params?: Readonly<Record<string, unknown>> | undefined;
}

/** How long to wait for the wallet. */
export interface CallOptions extends WaitOptions {
  /** Accepted for legacy code; ignored. */
  overrides?: object | undefined;
}

/**
 * Calls a contract's function through the connected wallet. A read-only function returns its result: a single value,
 * or several as a list with named properties; integers beyond 48 bits are bigints (with ethers,
 * BigNumbers). Other functions send a transaction. As in Moralis, it throws a list of strings for missing inputs.
 */
export async function executeFunction(call: FunctionCall & CallOptions): Promise<unknown> {
  return (await import("./functionCall.ts")).executeFunction(call);
}
