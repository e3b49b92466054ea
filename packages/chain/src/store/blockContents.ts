import { expressionBuilder } from "kysely";
import type { BlockRow, LogRow, NftTransferRow, TransactionRow } from "../model/rows.ts";
import { blockOf } from "../model/rows.ts";
import { type IndexQuery, query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { blockBounds } from "./listQuery.ts";
import { blockRow, indexedLog, nftTransferRow, transactionRow } from "./tableRows.ts";

/** A block with everything that the index has of it, in the order of the chain. */
export interface BlockContents extends BlockRow {
  transactions: TransactionRow[];
  logs: LogRow[];
  nftTransfers: NftTransferRow[];
}

/**
 * Returns the blocks of a range, both ends included, in ascending order; undefined if they were reorganized meanwhile.
 * Missing blocks are omitted. `state` reads the blocks.
 */
export async function readBlockContents(
  reader: IndexReader,
  state: IndexReader,
  from: number,
  to: number,
): Promise<BlockContents[] | undefined> {
  const blockQuery = query
    .selectFrom("blocks")
    .selectAll()
    .where("number", ">=", from)
    .where("number", "<=", to)
    .orderBy("number");
  const before = await state.all(blockQuery);
  const isInRange = expressionBuilder().and(blockBounds({ fromBlock: from, toBlock: to }));
  const rowsOf = <Row>(rows: IndexQuery<Row>) => reader.all(rows, "list");
  const [transactions, fees, logs, nfts] = await Promise.all([
    rowsOf(query.selectFrom("transactions").selectAll().where(isInRange).orderBy("position")),
    rowsOf(query.selectFrom("transaction_fees").selectAll().where(isInRange).orderBy("position")),
    rowsOf(query.selectFrom("logs").selectAll().where(isInRange).orderBy("position")),
    rowsOf(
      query.selectFrom("nft_transfers").selectAll().where(isInRange).orderBy("position").orderBy("part"),
    ),
  ]);
  // The statements have snapshots of their own.
  const after = (await state.all(blockQuery)).map(blockRow);
  const blocks = before.map(blockRow);
  if (blocks.length !== after.length || blocks.some(({ hash }, i) => hash !== after[i]?.hash))
    return undefined;
  const feesByPosition = new Map(fees.map((row) => [row.position, row]));
  const byBlock = {
    transactions: groupByBlock(
      transactions.map((row) => transactionRow(row, feesByPosition.get(row.position))),
    ),
    logs: groupByBlock(logs.map((row): LogRow => ({ ...indexedLog(row), isErc20: row.erc20 === 1 }))),
    nftTransfers: groupByBlock(nfts.map(nftTransferRow)),
  };
  return blocks.map((block) => ({
    ...block,
    transactions: byBlock.transactions.get(block.number) ?? [],
    logs: byBlock.logs.get(block.number) ?? [],
    nftTransfers: byBlock.nftTransfers.get(block.number) ?? [],
  }));
}

function groupByBlock<Row extends { position: number }>(rows: Row[]): Map<number, Row[]> {
  return Map.groupBy(rows, ({ position }) => blockOf(position));
}
