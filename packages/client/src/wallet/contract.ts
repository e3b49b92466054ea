import type {
  Abi,
  ContractFunctionArgs,
  ContractFunctionName,
  ContractFunctionParameters,
  Hex,
  ReadContractParameters,
  ReadContractReturnType,
} from "viem";
import { parseAbiJson } from "./abi.ts";
import { RevertError, revertOf } from "./revert.ts";
import { type SentTransaction, sendTransaction } from "./send.ts";
import type { SignerExpectation } from "./signer.ts";
import { enabledWallet } from "./wallet.ts";

/*
 * Contract calls with a typed ABI (`as const`): names, arguments and results are type-checked. For ABIs that
 * are known only at run time use `executeFunction`.
 */

/** Reads through the connected wallet. Throws RevertError if the call reverts. */
export async function readContract<
  const abi extends Abi | readonly unknown[],
  functionName extends ContractFunctionName<abi, "pure" | "view">,
  const args extends ContractFunctionArgs<abi, "pure" | "view", functionName>,
>(
  parameters: ReadContractParameters<abi, functionName, args>,
): Promise<ReadContractReturnType<abi, functionName, args>> {
  const { provider } = enabledWallet();
  // One after the other: bundlers only tree-shake imports that are awaited directly.
  const { createClient, custom } = await import("viem");
  const { readContract: read } = await import("viem/actions");
  try {
    return await read(createClient({ transport: custom(provider, { retryCount: 0 }) }), parameters);
  } catch (error) {
    const revert = await revertOf(error, parseAbiJson(parameters.abi).abi);
    throw revert ? new RevertError(revert, { cause: error }) : error;
  }
}

type WriteMutability = "nonpayable" | "payable";

/** The call, and the expected state of the wallet. */
export type WriteContractParameters<
  abi extends Abi | readonly unknown[],
  functionName extends ContractFunctionName<abi, WriteMutability>,
  args extends ContractFunctionArgs<abi, WriteMutability, functionName>,
> = ContractFunctionParameters<abi, WriteMutability, functionName, args> &
  SignerExpectation & {
    /** Wei. */
    value?: bigint | undefined;
  };

/** Sends a call by the connected wallet. Throws RevertError, before requesting approval, if it would revert. */
export async function writeContract<
  const abi extends Abi | readonly unknown[],
  functionName extends ContractFunctionName<abi, WriteMutability>,
  const args extends ContractFunctionArgs<abi, WriteMutability, functionName>,
>(parameters: WriteContractParameters<abi, functionName, args>): Promise<SentTransaction>;
export async function writeContract({
  value,
  account,
  chainId,
  signal,
  timeoutMs,
  ...call
}: LooseCall): Promise<SentTransaction> {
  const { encodeFunctionData } = await import("viem/utils");
  const data = encodeFunctionData(call);
  const { abi } = parseAbiJson(call.abi);
  return sendTransaction({ to: call.address, data, value }, { account, chainId, signal, timeoutMs, abi });
}

interface LooseCall extends SignerExpectation {
  address: Hex;
  abi: Abi | readonly unknown[];
  functionName: string;
  args?: readonly unknown[];
  value?: bigint | undefined;
}
