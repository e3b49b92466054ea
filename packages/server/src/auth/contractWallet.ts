import type { JsonValue } from "@purse/protocol";
import {
  encodeDeployData,
  encodeFunctionData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  hashMessage,
  isErc6492Signature,
  parseAbi,
  parseErc6492Signature,
} from "viem";
import type { Logger } from "../core/logger.ts";
import { walletSignInError } from "./walletSignInError.ts";

/** Read-only access to the configured chains. */
export interface ChainReader {
  /** Chain IDs (EIP-155) in the order of the settings; the first is the default. */
  readonly ids: readonly number[];
  /** Resolves a client's chain selector to a chain ID. Throws 142. */
  idOf(selector: JsonValue): number;
  /**
   * Runs `eth_call`; undefined if the contract reverts. Rejects with Error if no node responds within the deadline
   * (ms).
   */
  call(
    chainId: number,
    call: { from?: Hex; to?: Hex; data: Hex; gas: number },
    deadlineMs: number,
  ): Promise<string | undefined>;
}

const ERC1271 = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);
/** Deadline for both calls together, in ms. */
const DEADLINE_MS = 5_000;
const GAS = 10_000_000;
/** Concurrent signature checks. The limit keeps unauthenticated clients from using up a node's capacity. */
const MAX_CONCURRENT_CHECKS = 32;
/**
 * Sender of the calls, an address without a known key. It is not the zero address, by which some wallets recognize a
 * simulation and skip their checks.
 */
const CALL_SENDER: Hex = "0x70757273652061736b7320612077616c6c65742e";
/** The magic value of `isValidSignature`, padded to one word. A contract that only echoes the call does not match it. */
const VALID_RESULT: Hex = `0x1626ba7e${"0".repeat(56)}`;

export type ContractWallets = ReturnType<typeof createContractWallets>;

/** Verifies signatures of contract wallets by calling the contract (ERC-1271, ERC-6492). */
export function createContractWallets(chains: ChainReader, clock: () => number, logger: Logger) {
  let runningChecks = 0;
  return { assertSigned };

  /**
   * Throws 101 unless the contract at the address accepts the signature of a personal message (EIP-191). Returns the
   * ID of its chain, because the same address may belong to someone else on another chain.
   */
  async function assertSigned(
    address: Hex,
    message: string,
    signature: Hex,
    chainId = chains.ids[0],
  ): Promise<number> {
    if (chainId === undefined || !chains.ids.includes(chainId)) throw signatureMismatch();
    if (runningChecks >= MAX_CONCURRENT_CHECKS)
      throw walletSignInError("too many contract wallets sign in at once: try again");
    runningChecks += 1;
    try {
      if (!(await isSigned(address, hashMessage(message), signature, chainId))) throw signatureMismatch();
      return chainId;
    } finally {
      runningChecks -= 1;
    }
  }

  async function isSigned(address: Hex, hash: Hex, signature: Hex, chainId: number): Promise<boolean> {
    const deadline = clock() + DEADLINE_MS;
    const call = async (what: { to?: Hex; data: Hex }) => {
      try {
        return await chains.call(
          chainId,
          { from: CALL_SENDER, ...what, gas: GAS },
          Math.max(1, deadline - clock()),
        );
      } catch (error) {
        logger.warn("a contract wallet's signature could not be checked", { chainId, error });
        throw walletSignInError("the chain's node could not verify the signature");
      }
    };
    const isWrapped = isErc6492Signature(signature);
    const innerSignature = isWrapped ? unwrapSignature(signature) : signature;
    const data = encodeFunctionData({
      abi: ERC1271,
      functionName: "isValidSignature",
      args: [hash, innerSignature],
    });
    const result = await call({ to: address, data });
    // A deployed wallet decides by itself; the factory call of the signature is only simulated for undeployed ones.
    if (result !== "0x" || !isWrapped) return result?.toLowerCase() === VALID_RESULT;
    return (await call({ data: counterfactualCallData(address, hash, signature) })) === "0x01";
  }
}

/** Call data that deploys a counterfactual wallet and verifies the signature in one call; the result is 1 if it is valid. */
function counterfactualCallData(address: Hex, hash: Hex, signature: Hex): Hex {
  return encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [address, hash, signature],
  });
}

function unwrapSignature(signature: Hex): Hex {
  try {
    return parseErc6492Signature(signature).signature;
  } catch {
    throw walletSignInError("the signature is not valid");
  }
}

function signatureMismatch() {
  return walletSignInError("the signature is not by this address");
}
