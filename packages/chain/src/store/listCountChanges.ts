import { type BlockRows, positionOf } from "../model/rows.ts";
import { COUNTED_LISTS } from "./listCounts.ts";

/** The number of rows that are added to a list. Key and detail are hex with 0x; empty ones are `0x`. */
export interface ListCountChange {
  list: number;
  key: string;
  detail: string;
  /** The partition that contains the rows; 0 without partitions. */
  partition: number;
  n: number;
}

type CountedRows = Pick<BlockRows, "transactions" | "logs" | "nftTransfers" | "trades" | "internalTransfers">;

const NONE = "0x";

/**
 * Counts new rows by list, like the statement of `listCountChange`, but without reading them from the database. With
 * `partitionBlocks`, separately for each partition of so many blocks.
 */
export function listCountChanges(rows: CountedRows, partitionBlocks?: number): ListCountChange[] {
  const span = partitionBlocks === undefined ? Number.POSITIVE_INFINITY : positionOf(partitionBlocks, 0);
  const counts = new ListCounter(span);
  for (const { position, from, to, contract } of rows.transactions) {
    counts.add("transactionsFrom", position, from);
    if (to !== null) {
      if (to !== from) counts.add("transactionsTo", position, to);
    } else if (contract !== null && contract !== from) counts.add("creations", position, contract);
  }
  for (const { position, address, topics, isErc20 } of rows.logs) {
    const [topic0, topic1, topic2] = topics;
    counts.add("logs", position, address);
    if (!isErc20) {
      if (topic0 !== undefined) counts.add("otherLogs", position, address, topic0);
      continue;
    }
    counts.add("erc20Of", position, address);
    if (topic1 === undefined) continue;
    counts.add("erc20From", position, topic1);
    if (topic2 !== undefined && topic2 !== topic1) counts.add("erc20To", position, topic2);
  }
  for (const { position, from, to, token, tokenId } of rows.nftTransfers) {
    counts.add("nfts", position, NONE);
    counts.add("nftsFrom", position, from);
    counts.add("nftsTo", position, to);
    if (to !== from) counts.add("nftsToOthers", position, to);
    counts.add("nftsOf", position, token);
    counts.add("nftsOfId", position, token, tokenId);
  }
  for (const { position, token, marketplace } of rows.trades)
    counts.add("trades", position, token, marketplace);
  for (const { position, from, to } of rows.internalTransfers ?? []) {
    counts.add("internalFrom", position, from);
    if (to !== from) counts.add("internalTo", position, to);
  }
  return counts.changes;
}

/** Nested maps, because texts that are joined to a key would have to be hashed for each row. */
class ListCounter {
  readonly changes: ListCountChange[] = [];
  readonly #span: number;
  readonly #partitions = new Map<number, Map<string, Map<string, Map<string, ListCountChange>>>>();

  /** `span` is the number of positions of a partition. */
  constructor(span: number) {
    this.#span = span;
  }

  add(list: keyof typeof COUNTED_LISTS, position: number, key: string, detail = NONE): void {
    const partition = Math.floor(position / this.#span);
    const details = nested(nested(nested(this.#partitions, partition), list), key);
    const change = details.get(detail);
    if (change) {
      change.n += 1;
      return;
    }
    const added = { list: COUNTED_LISTS[list].id, key, detail, partition, n: 1 };
    details.set(detail, added);
    this.changes.push(added);
  }
}

function nested<Key, InnerKey, Value>(map: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  const found = map.get(key);
  if (found) return found;
  const created = new Map<InnerKey, Value>();
  map.set(key, created);
  return created;
}
