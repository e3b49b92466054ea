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
import type { Logger } from "../observe/logger.ts";
import { refused } from "./walletRefusal.ts";

/** A look at the chains that nodes are configured for; nothing can be changed by it. */
export interface ChainReader {
  /** EIP-155, in the order of the settings: the first is meant where nobody says which. */
  readonly ids: readonly number[];
  /** The chain that a client's selector means. Throws ProtocolError 142. */
  idOf(selector: JsonValue): number;
  /**
   * Runs a call whose changes are forgotten; undefined where it fails in the contract. Rejects with Error where no
   * node has told within the deadline (ms).
   */
  call(
    chainId: number,
    call: { from?: Hex; to?: Hex; data: Hex; gas: number },
    deadlineMs: number,
  ): Promise<string | undefined>;
}

const ERC1271 = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);
/** For both calls together, in ms. */
const DEADLINE_MS = 5_000;
const GAS = 10_000_000;
/** Signatures that are being asked about at once; more would let strangers keep all of a node's time. */
const MOST_AT_ONCE = 32;
/**
 * Whom calls come from: nobody has its key. Not the zero address, by which some wallets recognise a simulation and
 * skip their checks.
 */
const CALLER: Hex = "0x70757273652061736b7320612077616c6c65742e";
/** `isValidSignature`'s yes, alone in its word: what merely echoes the call is no yes. */
const VALID: Hex = `0x1626ba7e${"0".repeat(56)}`;

export type ContractWallets = ReturnType<typeof createContractWallets>;

/** Wallets that are contracts: they say themselves whether a signature is theirs (ERC-1271, ERC-6492). */
export function createContractWallets(chains: ChainReader, clock: () => number, log: Logger) {
  let underWay = 0;
  return { assertSigned };

  /**
   * Throws 101 unless the contract at the address takes the signature of a personal message (EIP-191) for its own.
   * Answers the chain that it is on: somebody else's may be at the same address of another.
   */
  async function assertSigned(
    address: Hex,
    message: string,
    signature: Hex,
    chainId = chains.ids[0],
  ): Promise<number> {
    if (chainId === undefined || !chains.ids.includes(chainId)) throw notByAddress();
    if (underWay >= MOST_AT_ONCE) throw refused("too many contract wallets sign in at once: try again");
    underWay += 1;
    try {
      if (!(await isSigned(address, hashMessage(message), signature, chainId))) throw notByAddress();
      return chainId;
    } finally {
      underWay -= 1;
    }
  }

  async function isSigned(address: Hex, hash: Hex, signature: Hex, chainId: number): Promise<boolean> {
    const giveUpAt = clock() + DEADLINE_MS;
    const call = async (what: { to?: Hex; data: Hex }) => {
      try {
        return await chains.call(
          chainId,
          { from: CALLER, ...what, gas: GAS },
          Math.max(1, giveUpAt - clock()),
        );
      } catch (error) {
        log.warn("a contract wallet's signature could not be checked", { chainId, error });
        throw refused("the chain's node cannot tell whether the signature is by this address");
      }
    };
    const wrapped = isErc6492Signature(signature);
    const own = wrapped ? unwrapped(signature) : signature;
    const data = encodeFunctionData({ abi: ERC1271, functionName: "isValidSignature", args: [hash, own] });
    const answer = await call({ to: address, data });
    // A wallet that is there speaks for itself: what a stranger's factory would do to it is not tried.
    if (answer !== "0x" || !wrapped) return answer?.toLowerCase() === VALID;
    return (await call({ data: counterfactual(address, hash, signature) })) === "0x01";
  }
}

/** Makes the wallet that is not there yet and asks it, all in one call; answers 1 for yes. */
function counterfactual(address: Hex, hash: Hex, signature: Hex): Hex {
  return encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [address, hash, signature],
  });
}

function unwrapped(signature: Hex): Hex {
  try {
    return parseErc6492Signature(signature).signature;
  } catch {
    throw refused("the signature is not valid");
  }
}

function notByAddress() {
  return refused("the signature is not by this address");
}
