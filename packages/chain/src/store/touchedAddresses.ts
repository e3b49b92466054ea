import { sql } from "kysely";
import { toHex } from "../model/hexBytes.ts";
import { type BlockIdentity, positionOf } from "../model/rows.ts";
import { readColumnarAddresses } from "./columnarEvents.ts";
import { isBlock } from "./eventQuery.ts";
import type { IndexReader } from "./indexReader.ts";

/** The maximum numbers of blocks and addresses for which addresses are returned. */
const MAX_BLOCKS = 1_000;
const MAX_ADDRESSES = 50_000;

/**
 * Returns the addresses (lower-case hex) that take part in the transactions, transfers and logs of the blocks after one
 * up to another; undefined if one of the two is not in the index or if there are too many. A single statement, so that
 * all rows are from the same snapshot. `state` reads the blocks.
 */
export async function readTouchedAddresses(
  reader: IndexReader,
  state: IndexReader,
  after: BlockIdentity,
  upTo: BlockIdentity,
): Promise<ReadonlySet<string> | undefined> {
  if (upTo.number < after.number || upTo.number - after.number > MAX_BLOCKS) return undefined;
  const isInBlocks = sql`position BETWEEN ${positionOf(after.number + 1, 0)} AND ${positionOf(upTo.number + 1, 0) - 1}`;
  const addresses = sql<{ address: Uint8Array | null }>`SELECT address FROM (
      SELECT from_address AS address FROM transactions WHERE ${isInBlocks}
      UNION SELECT to_address FROM transactions WHERE ${isInBlocks} AND to_address IS NOT NULL
      UNION SELECT address FROM logs WHERE ${isInBlocks}
      UNION SELECT substr(topic1, 13) FROM logs WHERE ${isInBlocks} AND erc20 = 1
      UNION SELECT substr(topic2, 13) FROM logs WHERE ${isInBlocks} AND erc20 = 1
      UNION SELECT from_address FROM nft_transfers WHERE ${isInBlocks}
      UNION SELECT to_address FROM nft_transfers WHERE ${isInBlocks}) AS touched LIMIT ${MAX_ADDRESSES + 1}`;
  if (reader.dialect.isColumnar) {
    const touched = await readColumnarAddresses(reader, state, [after, upTo], addresses);
    if (!touched || touched.length > MAX_ADDRESSES) return undefined;
    return hexSet(touched);
  }
  const rows = await reader.all(
    sql<{ address: Uint8Array | null }>`
      SELECT found.address FROM blocks t LEFT JOIN (${addresses}) AS found ON TRUE
      WHERE ${isBlock("t", upTo)} AND EXISTS (SELECT 1 FROM blocks c WHERE ${isBlock("c", after)})`,
    "list",
  );
  if (rows.length === 0 || rows.length > MAX_ADDRESSES) return undefined;
  return hexSet(rows);
}

/** Without nulls: deposits of wrapped coins have one party only. */
function hexSet(rows: readonly { address: Uint8Array | null }[]): ReadonlySet<string> {
  return new Set(rows.flatMap(({ address }) => (address ? [toHex(address)] : [])));
}
