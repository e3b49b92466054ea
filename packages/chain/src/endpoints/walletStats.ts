import { blockOf, type TransactionRow } from "../model/rows.ts";
import {
  type ChainContext,
  requireFullIndex,
  requireSynced,
  type SelectChain,
  selectFullIndex,
} from "./chainContext.ts";
import { keptFields } from "./eventRetention.ts";
import { isoTime } from "./pagination.ts";
import type { Handlers } from "./routes.ts";
import { chainIdOf, readEach, selectChains } from "./walletTokens.ts";

/** No rows: lists also return the number of all rows. */
const COUNT = { offset: 0, limit: 0, withTotal: true };

/** Numbers of what wallets have and did, and the chains on which they were active. */
export function walletStatsHandlers(selectChain: SelectChain, contexts: readonly ChainContext[]) {
  return {
    getWalletStats: async ({ chain: selector, address }) => {
      const chain = await selectFullIndex(selectChain, selector, "the statistics of a wallet");
      requireSynced(chain);
      const { store } = chain;
      const [nfts, collections, transactions, nftTransfers, tokenTransfers] = await Promise.all([
        store.nftBalances.listBalances({ owner: address }, COUNT),
        store.nftBalances.countCollections(address),
        store.transactions(address, COUNT),
        store.nftTransfers({ wallet: address, direction: "both" }, COUNT),
        store.erc20Transfers({ wallet: address }, COUNT),
      ]);
      return {
        nfts: String(nfts.total),
        collections: String(collections),
        transactions: { total: String(transactions.total) },
        nft_transfers: { total: String(nftTransfers.total) },
        token_transfers: { total: String(tokenTransfers.total) },
        ...(await keptFields(chain)),
      };
    },
    getWalletActiveChains: async ({ address, chains }) => {
      const selected = selectChains(selectChain, contexts, chains);
      const { results, unavailable } = await readEach(selected, (chain) => readActivity(chain, address));
      return { address, active_chains: results, unavailable_chains: unavailable };
    },
  } satisfies Partial<Handlers>;
}

/** The first and the last transaction of a wallet on a chain. */
async function readActivity(chain: ChainContext, address: string) {
  await requireFullIndex(chain, "the activity of a wallet");
  requireSynced(chain);
  const { store, config } = chain;
  const one = { offset: 0, limit: 1 };
  const [{ rows: first }, { rows: last }] = await Promise.all([
    store.transactions(address, { ...one, ascending: true }),
    store.transactions(address, one),
  ]);
  const blocks = await store.blocks([...first, ...last].map(({ position }) => blockOf(position)));
  const kept = await keptFields(chain);
  const toJson = ([row]: readonly TransactionRow[]) => {
    if (!row) return null;
    const number = blockOf(row.position);
    return {
      block_timestamp: isoTime(blocks.get(number)?.timestamp ?? 0),
      block_number: String(number),
      transaction_hash: row.hash,
    };
  };
  return {
    chain: config.name,
    chain_id: chainIdOf(chain),
    // The first one that is kept is another.
    first_transaction: kept.kept_from_block === undefined ? toJson(first) : null,
    last_transaction: toJson(last),
    ...kept,
  };
}
