import type { NftKey } from "../model/tokens.ts";
import type { ChainNode } from "../node/chainNode.ts";

/**
 * Selectors of supportsInterface(bytes4) (EIP-165) and royaltyInfo(uint256,uint256) (EIP-2981); the latter is also
 * its interface id.
 */
const SUPPORTS_INTERFACE = "0x01ffc9a7";
const ROYALTY_INFO = "0x2a55205a";
/** A price for which the royalty amount equals basis points. */
const PRICE = 10_000;

/** Royalty of a sale. */
export interface Royalty {
  receiver: string;
  /** In hundredths of a percent. */
  basisPoints: number;
}

/** Reads the current royalty of a token (EIP-2981); null if there is none. */
export async function getRoyalty(node: ChainNode, { token, tokenId }: NftKey): Promise<Royalty | null> {
  const supports = (id: string) => ({ to: token, data: SUPPORTS_INTERFACE + id.padEnd(64, "0") });
  const info = { to: token, data: ROYALTY_INFO + tokenId.slice(2) + word(PRICE) };
  const [supportsRoyalties, supportsEverything, royalty] = await node.readContracts(
    [supports(ROYALTY_INFO.slice(2)), supports("ffffffff"), info],
    "latest",
  );
  // A contract that returns true for every interface, which EIP-165 forbids, does not support royalties in
  // particular.
  if (supportsRoyalties !== TRUE || supportsEverything === TRUE) return null;
  const [, receiver, share] = /^0x0{24}([0-9a-f]{40})([0-9a-f]{64})$/.exec(royalty ?? "") ?? [];
  if (receiver === undefined || /^0*$/.test(receiver)) return null;
  const basisPoints = BigInt(`0x${share}`);
  // A royalty above the price is invalid.
  if (basisPoints === 0n || basisPoints > PRICE) return null;
  return { receiver: `0x${receiver}`, basisPoints: Number(basisPoints) };
}

function word(number: number): string {
  return number.toString(16).padStart(64, "0");
}

const TRUE = `0x${word(1)}`;
