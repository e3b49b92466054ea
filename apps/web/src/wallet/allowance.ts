import { decodeFunctionData, type Hex, isHex, parseAbi } from "viem";

/** The assets that a call allows another account to take from the calling wallet. */
export type Allowance =
  /** Up to an amount in the token's smallest unit, or the NFT with this ID. */
  | { kind: "amount"; spender: string; amount: bigint; isUnlimited: boolean }
  /** All NFTs of the collection. */
  | { kind: "all"; spender: string };

const ABI = parseAbi([
  "function approve(address spender, uint256 amount)",
  "function increaseAllowance(address spender, uint256 amount)",
  "function increaseApproval(address spender, uint256 amount)",
  "function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)",
  "function setApprovalForAll(address operator, bool approved)",
]);

/** Amounts from here on are meant as unlimited: wallets and exchanges round the largest one in different ways. */
const UNLIMITED = 2n ** 95n;

/** The allowance that call data grants; undefined if it grants none, or revokes one. */
export function grantedAllowance(data: string): Allowance | undefined {
  if (!isHex(data)) return undefined;
  const call = decode(data);
  if (!call) return undefined;
  if (call.functionName === "setApprovalForAll") {
    const [spender, isApproved] = call.args;
    return isApproved ? { kind: "all", spender } : undefined;
  }
  const [spender, amount] =
    call.functionName === "permit" ? ([call.args[1], call.args[2]] as const) : call.args;
  return amount === 0n ? undefined : { kind: "amount", spender, amount, isUnlimited: amount >= UNLIMITED };
}

function decode(data: Hex) {
  try {
    return decodeFunctionData({ abi: ABI, data });
  } catch {
    return undefined;
  }
}
