/* Every list of the data API that reads the index, for frequent and rare wallets, tokens and collections. */
import { APPROVAL_TOPIC, addressTopic, TRANSFER_TOPIC } from "../../../packages/chain/src/model/topics.ts";
import { transferAbi } from "../listOperations.ts";
import { examples, FIXED, GENESIS_TIME, ITEM_ID, SECONDS_PER_BLOCK } from "./scaleShape.ts";

export interface Operation {
  name: string;
  /** Of what the list is. */
  of: string;
  parameters: Record<string, unknown>;
  /** Whether a page can be found by an offset, and by a cursor. */
  pages: "offset" | "cursor" | "none";
  hasBlocks: boolean;
}

export function operationsOf(blocks: number): Operation[] {
  const found: Operation[] = [];
  for (const [of, { wallet, token, collection }] of Object.entries(examples(blocks))) {
    const add = (
      name: string,
      parameters: Operation["parameters"],
      { pages = "cursor", hasBlocks = false }: Partial<Operation> = {},
    ) => found.push({ name, of, parameters, pages, hasBlocks });
    const skips = { pages: "offset", hasBlocks: true } as const;
    const bounded = { hasBlocks: true } as const;
    const single = { pages: "none" } as const;
    add("getTransactions", { address: wallet }, skips);
    add("getTokenTransfers", { address: wallet }, skips);
    add("getTokenAddressTransfers", { address: token }, skips);
    add("getContractEvents", { address: token, topic: TRANSFER_TOPIC, abi: transferAbi }, skips);
    add("getUserOperations", { sender: wallet }, skips);
    add("getLogsByAddress", { address: token }, bounded);
    add("getLogsByAddress, topic 0", { address: token, topic0: APPROVAL_TOPIC }, bounded);
    add(
      "getLogsByAddress, topics 0 and 1",
      { address: token, topic0: TRANSFER_TOPIC, topic1: addressTopic(wallet) },
      bounded,
    );
    add("getNFTTransfers", { address: wallet });
    add("getContractNFTTransfers", { address: collection });
    add("getNFTs", { address: wallet });
    add("getNFTsForContract", { address: wallet, token_address: collection });
    add("getWalletNFTCollections", { address: wallet });
    add("getNFTOwners", { address: collection });
    add("getAllTokenIds", { address: collection });
    add("getNFTTrades", { address: collection }, bounded);
    add("getWalletHistory", { address: wallet }, bounded);
    add("getWalletInternalTransactions", { address: wallet }, bounded);
    add("getTokenOwners", { address: token });
    add("getTokenStats", { address: token }, single);
    add("getWalletStats", { address: wallet }, single);
    add("getHistoricalTokenHolders", { address: token, timeFrame: "1h", ...lastHours(blocks) }, single);
  }
  const whole = (name: string, parameters: Operation["parameters"], hasBlocks = false) =>
    found.push({ name, of: "frequent", parameters, pages: "cursor", hasBlocks });
  whole("getWalletTokenIdTransfers", { address: FIXED.items, token_id: String(ITEM_ID) });
  whole("getTokenIdOwners", { address: FIXED.items, token_id: String(ITEM_ID) });
  whole("getNftTransfersFromToBlock", { from_block: 0 }, true);
  return found;
}

/** The last hours of the chain, at most ten. */
function lastHours(blocks: number) {
  const end = GENESIS_TIME + (blocks - 1) * SECONDS_PER_BLOCK;
  const start = Math.max(GENESIS_TIME, end - 9 * 3_600);
  return { fromDate: new Date(start * 1_000).toISOString(), toDate: new Date(end * 1_000).toISOString() };
}
