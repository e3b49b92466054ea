import type { NftKey } from "../model/tokens.ts";
import type { ChainNode } from "../node/chainNode.ts";

/** Selectors of supportsInterface(bytes4) (EIP-165) and royaltyInfo(uint256,uint256) (EIP-2981), which is its interface too. */
const SUPPORTS_INTERFACE = "0x01ffc9a7";
const ROYALTY_INFO = "0x2a55205a";
/** A price by which the answer is a share in hundredths of a per cent. */
const PRICE = 10_000;

/** What of each sale goes to whom. */
export interface Royalty {
  receiver: string;
  /** In hundredths of a per cent. */
  basisPoints: number;
}

/** What a token's contract wants of its sales (EIP-2981), at its newest state; null where it wants nothing. */
export async function askRoyalty(node: ChainNode, { token, tokenId }: NftKey): Promise<Royalty | null> {
  const supports = (id: string) => ({ to: token, data: SUPPORTS_INTERFACE + id.padEnd(64, "0") });
  const info = { to: token, data: ROYALTY_INFO + tokenId.slice(2) + word(PRICE) };
  const [is, isAnything, royalty] = await node.readContracts(
    [supports(ROYALTY_INFO.slice(2)), supports("ffffffff"), info],
    "latest",
  );
  // Contracts that say yes to everything, which EIP-165 forbids, have not been asked about royalties.
  if (is !== YES || isAnything === YES) return null;
  const [, receiver, share] = /^0x0{24}([0-9a-f]{40})([0-9a-f]{64})$/.exec(royalty ?? "") ?? [];
  if (receiver === undefined || /^0*$/.test(receiver)) return null;
  const basisPoints = BigInt(`0x${share}`);
  // More than the price is no share of it.
  if (basisPoints === 0n || basisPoints > PRICE) return null;
  return { receiver: `0x${receiver}`, basisPoints: Number(basisPoints) };
}

function word(number: number): string {
  return number.toString(16).padStart(64, "0");
}

const YES = `0x${word(1)}`;
