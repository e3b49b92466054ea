import { isJsonObject, type JsonValue } from "@purse/protocol";
import type { ChainContext } from "../endpoints/chainContext.ts";
import { assertEventsKept } from "../endpoints/eventRetention.ts";
import { loadTokenMetadata } from "../endpoints/tokenMetadata.ts";
import { getInternalTransfers, type InternalTransfer } from "../node/internalTransfers.ts";
import type { BlockContents } from "../store/blockContents.ts";
import type { ChainStore } from "../store/chainStore.ts";
import type { BlockReference } from "./chainEvents.ts";

/** What messages say about a token contract. */
export interface TokenLabel {
  /** null if the contract does not provide it. */
  name: string | null;
  symbol: string | null;
  decimals: number | null;
  isSpam: boolean;
}

/** The signature of a transaction, decimal as in Moralis. */
export interface TransactionSignature {
  v: string;
  r: string;
  s: string;
}

/** Reads whole blocks of one chain: from its index, and what the index does not have from its node. */
export interface BlockReader {
  /**
   * Returns the blocks from a number on, in ascending order, at least one and as many as have about `maxLogs` logs;
   * empty after the last block. undefined if they were reorganized while they were read. Rejects with
   * EventsRemovedError if their events have been removed.
   */
  blocks(from: number, to: number, maxLogs: number): Promise<BlockContents[] | undefined>;
  /**
   * Returns the coins that contracts sent in a block; undefined if the node does not trace. Rejects with Error if it
   * fails.
   */
  internalTransfers(block: BlockReference): Promise<InternalTransfer[] | undefined>;
  /** Returns signatures by transaction hash, as far as the node has them. Rejects with Error if it fails. */
  signatures(block: BlockReference): Promise<Map<string, TransactionSignature>>;
  /** Returns balances after a block in wei (decimal). Rejects with Error if the node fails or lacks the state. */
  nativeBalances(addresses: readonly string[], block: BlockReference): Promise<Map<string, string>>;
  /**
   * Returns names and labels of contracts: of tokens of a standard (20, 721, 1155) also from the contracts, of others as
   * far as they are in the index.
   */
  tokens(addresses: string[], standard: number | undefined): Promise<Map<string, TokenLabel>>;
}

/** Blocks of one read. */
const MAX_BLOCKS = 200;

export function createBlockReader(getChain: () => ChainContext): BlockReader {
  return {
    async blocks(from, to, maxLogs) {
      const blocks = await readBlocks(getChain().store, from, to, maxLogs);
      // Checked afterwards: they could be removed between two reads.
      await assertEventsKept(getChain(), from);
      return blocks;
    },
    internalTransfers: (block) => getInternalTransfers(getChain().node, block),
    async signatures({ hash }) {
      const block = await getChain().node.getRawBlock(hash, true);
      const transactions = isJsonObject(block) && Array.isArray(block.transactions) ? block.transactions : [];
      return new Map(
        transactions.filter(isJsonObject).map(({ hash: transaction, v, yParity, r, s }) => [
          String(transaction).toLowerCase(),
          {
            v: decimal(v ?? yParity),
            r: decimal(r),
            s: decimal(s),
          },
        ]),
      );
    },
    async nativeBalances(addresses, { number }) {
      const balances = await getChain().node.getBalances(addresses, number);
      return new Map(addresses.map((address, i) => [address, String(balances[i] ?? 0n)]));
    },
    async tokens(addresses, standard) {
      const chain = getChain();
      // A message is better without a name than late.
      const indexed = () => chain.store.tokens.metadata(addresses);
      const known =
        standard === undefined
          ? await indexed()
          : await loadTokenMetadata(chain, addresses, standard).catch(indexed);
      return new Map(
        addresses.map((address) => {
          const { name = null, symbol = null, decimals = null } = known.get(address) ?? {};
          const { isSpam } = chain.labels.of(address, name, symbol);
          return [address, { name, symbol, decimals, isSpam }];
        }),
      );
    },
  };
}

async function readBlocks(
  store: ChainStore,
  from: number,
  to: number,
  maxLogs: number,
): Promise<BlockContents[] | undefined> {
  const last = Math.min(to, from + MAX_BLOCKS - 1);
  if (last < from) return [];
  const limit = (await store.lastBlockWithinLogLimit(from, maxLogs)) ?? last;
  const blocks = await store.fullBlocks(from, Math.min(last, limit));
  if (blocks?.length !== 0) return blocks;
  // The index may begin at a later block.
  const first = (await store.firstBlock())?.number ?? 0;
  return first > from ? readBlocks(store, first, to, maxLogs) : [];
}

function decimal(value: JsonValue | undefined): string {
  return typeof value === "string" && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value).toString() : "0";
}
