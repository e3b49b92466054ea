import { blockOf } from "../model/rows.ts";
import type { NftBalance } from "../store/nftBalances.ts";
import type { ChainContext } from "./chainContext.ts";
import { firstKeptBlock } from "./eventRetention.ts";

/** The owners of balances, with the blocks in which they received their tokens and in which these were minted. */
export async function ownershipFields(chain: ChainContext, balances: readonly NftBalance[]) {
  const hasDropped = (await firstKeptBlock(chain)) !== undefined;
  const positions = await chain.store.nftBalances.transferPositions(balances, hasDropped);
  return balances.map(({ owner }, i) => ({
    owner_of: owner,
    block_number: blockNumberText(positions[i]?.received),
    // A wallet index does not contain the mint of tokens that others owned before.
    block_number_minted: chain.config.scope === "wallets" ? null : blockNumberText(positions[i]?.minted),
  }));
}

function blockNumberText(position: number | undefined): string | null {
  return position === undefined ? null : String(blockOf(position));
}
