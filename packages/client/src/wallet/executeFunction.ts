import type { CallOptions, FunctionCall } from "./functionCall.ts";

export type { CallOptions, FunctionCall } from "./functionCall.ts";

/**
 * Calls a contract's function through the connected wallet. A read-only function returns its result: a single value,
 * or several as a list with named properties; integers beyond 48 bits are bigints (with ethers,
 * BigNumbers). Other functions send a transaction. As in Moralis, it throws a list of strings for missing inputs.
 */
export async function executeFunction(call: FunctionCall & CallOptions): Promise<unknown> {
  return (await import("./functionCall.ts")).executeFunction(call);
}
