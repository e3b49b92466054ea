import { isJsonObject } from "@purse/protocol";
import { toWord } from "../model/hexBytes.ts";
import { notFound } from "../model/requestErrors.ts";
import { parseQuantity } from "../node/quantities.ts";
import { requireSynced, type SelectChain, selectFullIndex, withNodeErrors } from "./chainContext.ts";
import { assertKept } from "./pagination.ts";
import type { Handlers } from "./routes.ts";

/** No rows: lists also return the number of all rows. */
const COUNT = { offset: 0, limit: 0, withTotal: true };

/** Numbers of the transactions and transfers of a block, and of the transfers and owners of an NFT. */
export function blockStatsHandlers(selectChain: SelectChain) {
  return {
    getBlockStats: async ({ chain: selector, block_number_or_hash: requested }) => {
      const chain = await selectFullIndex(selectChain, selector, "the transfers of a block");
      const raw = await withNodeErrors(chain, undefined, async () =>
        chain.node.getRawBlock(requested === "latest" ? await chain.node.getBlockNumber() : requested, false),
      );
      if (!isJsonObject(raw)) throw notFound(`chain "${chain.config.name}" has no block ${requested}`);
      const number = parseQuantity(raw.number);
      if (number > (chain.status().indexed ?? -1)) requireSynced(chain);
      await assertKept(chain, { toBlock: number });
      const window = { ...COUNT, fromBlock: number, toBlock: number };
      const [nftTransfers, tokenTransfers] = await Promise.all([
        chain.store.nftTransfers({}, window),
        chain.store.erc20Activity({ kind: "transfers" }, window),
      ]);
      const transactions = Array.isArray(raw.transactions) ? raw.transactions.length : 0;
      return {
        transactions: { total: String(transactions) },
        nft_transfers: { total: String(nftTransfers.total) },
        token_transfers: { total: String(tokenTransfers.total) },
      };
    },
    getNFTTokenStats: async ({ chain: selector, address, token_id }) => {
      const chain = await selectFullIndex(selectChain, selector, "the numbers of a token");
      const nft = { token: address, tokenId: toWord(token_id) };
      const [transfers, owners] = await Promise.all([
        chain.store.nftTransfers(nft, COUNT),
        chain.store.nftBalances.listBalances(nft, { offset: 0, limit: 1 }),
      ]);
      if (transfers.total === 0) requireSynced(chain);
      return { owners: { current: String(owners.total) }, transfers: { total: String(transfers.total) } };
    },
  } satisfies Partial<Handlers>;
}
