import { type RawBuilder, sql } from "kysely";
import { toBytes } from "../model/hexBytes.ts";
import {
  type BlockRows,
  blockOf,
  type DiscoveredToken,
  type NftTransferRow,
  type NftUpdateRow,
} from "../model/rows.ts";
import { discoverNfts } from "./discoveredNfts.ts";
import { erc20BalanceChanges } from "./erc20BalanceChanges.ts";
import type { EventChange } from "./indexWriter.ts";
import { lastReceivers, nftBalanceChanges } from "./nftBalanceChanges.ts";
import { copy, copyBytes, merge } from "./postgresCopy.ts";
import { addErc20Balances } from "./postgresErc20Balances.ts";
import { addNftBalances, correctNftOwners } from "./postgresNftBalances.ts";
import { rowsTable } from "./postgresRows.ts";
import type { Transaction } from "./postgresSql.ts";
import type { RowValue } from "./rowBuffer.ts";
import {
  feeValues,
  internalValues,
  logValues,
  nftRangeValues,
  nftTransferValues,
  tradeValues,
  transactionValues,
} from "./rowValues.ts";
import { type EventTable, postgresLiteral } from "./schema.ts";
import { proxiesOf, upgradedContracts } from "./upgradedContracts.ts";

/** The rows of tables in the format of COPY. */
export type EncodedRows = Record<EventTable | "blocks" | "nft_ranges", Buffer | undefined>;

/** Encodes blocks with their contents; without the events, if these are stored elsewhere. */
export function encodeRows(rows: BlockRows, withEvents = true): EncodedRows {
  const { blocks, transactions, logs, nftTransfers, nftRanges, trades, internalTransfers = [] } = rows;
  const events = <Row>(list: readonly Row[], values: (row: Row) => readonly RowValue[]) =>
    withEvents ? copyBytes(list.map(values)) : undefined;
  const fees = transactions.flatMap(({ position, fees }) => (fees ? [{ position, fees }] : []));
  return {
    blocks: copyBytes(
      blocks.map((row) => [row.number, toBytes(row.hash), toBytes(row.parentHash), row.timestamp]),
    ),
    transactions: events(transactions, transactionValues),
    transaction_fees: events(fees, (row) => feeValues(row.position, row.fees)),
    logs: events(logs, logValues),
    trades: events(trades, tradeValues),
    nft_ranges: copyBytes(nftRanges.map(nftRangeValues)),
    internal_transfers: events(internalTransfers, internalValues),
    nft_transfers: events(nftTransfers, nftTransferValues),
  };
}

export interface InsertOptions {
  /** Whether some of the rows may exist. */
  mayExist: boolean;
  elsewhere?: EventChange | undefined;
  /** The rows, if they were encoded before. */
  encoded?: EncodedRows | undefined;
}

/** Inserts blocks with their contents; without the events, if these are stored elsewhere. */
export async function insertBlocks(
  tx: Transaction,
  rows: BlockRows,
  tokens: DiscoveredToken[],
  { mayExist, elsewhere, encoded = encodeRows(rows, elsewhere === undefined) }: InsertOptions,
): Promise<void> {
  const { logs, nftTransfers, nftUpdates } = rows;
  const insert = (table: keyof EncodedRows) => (mayExist ? merge : copy)(tx, table, encoded[table]);
  await insert("blocks");
  await insert("transactions");
  await insert("transaction_fees");
  const addedLogs = await insert("logs");
  const newLogs = addedLogs ? logs.filter(({ position }) => addedLogs.has(String(position))) : logs;
  const transfers = newLogs.filter(({ isErc20 }) => isErc20);
  await addErc20Balances(tx, erc20BalanceChanges(transfers, 1));
  const upgraded = upgradedContracts(newLogs).map((address) => ({ address }));
  if (upgraded.length > 0) {
    await requeueTokens(tx, rowsTable(upgraded, { bytes: ["address"] }));
  }
  await insert("trades");
  await insert("nft_ranges");
  await insert("internal_transfers");
  const added = await insert("nft_transfers");
  const addedTransfers = added
    ? nftTransfers.filter((row) => added.has(`${row.position}.${row.part}`))
    : nftTransfers;
  await addNftBalances(tx, nftBalanceChanges(addedTransfers, 1));
  // The last transfers of tokens are among new ones.
  const receivers = elsewhere?.receivers ?? (mayExist ? undefined : lastReceivers(nftTransfers));
  await correctNftOwners(tx, addedTransfers, { receivers });
  await addDiscoveredNfts(tx, nftTransfers, mayExist);
  await addUpdates(tx, nftUpdates);
  if (tokens.length === 0) return;
  await tx`
    INSERT INTO tokens (address, standard, position, known)
    SELECT address, standard, position, 0
    FROM ${rowsTable(tokens, { bytes: ["address"], numbers: ["standard", "position"] })} AS token
    ON CONFLICT (address) DO UPDATE SET position = excluded.position, standard = excluded.standard, known = 0
      WHERE tokens.position IS NULL OR tokens.position > excluded.position`;
}

/** When older blocks are added, tokens found in later blocks may have an earlier first transfer. */
async function addDiscoveredNfts(
  tx: Transaction,
  transfers: NftTransferRow[],
  mayExist: boolean,
): Promise<void> {
  if (transfers.length === 0) return;
  const nfts = rowsTable(discoverNfts(transfers), {
    bytes: ["token", "tokenId"],
    numbers: ["standard", "position"],
  });
  const discovered = sql`SELECT token, "tokenId" AS token_id, standard, position FROM ${nfts} AS nft`;
  await tx`INSERT INTO nft_metadata (token, token_id, standard, position) ${discovered} ON CONFLICT DO NOTHING`;
  if (!mayExist) return;
  await tx`UPDATE nft_metadata SET position = seen.position FROM (${discovered}) AS seen
    WHERE nft_metadata.token = seen.token AND nft_metadata.token_id = seen.token_id
      AND nft_metadata.position > seen.position`;
}

async function addUpdates(tx: Transaction, updates: NftUpdateRow[]): Promise<void> {
  if (updates.length === 0) return;
  const rows = updates.map((row) => ({ ...row, block: blockOf(row.position) }));
  await tx`
    INSERT INTO nft_updates
    SELECT token, first, (array_agg(last ORDER BY last DESC))[1], max(block)
    FROM ${rowsTable(rows, { bytes: ["token", "first", "last"], numbers: ["block"] })} AS item
    GROUP BY token, first
    ON CONFLICT (token, first) DO UPDATE SET last = greatest(nft_updates.last, excluded.last),
      block = greatest(nft_updates.block, excluded.block)`;
}

/** Has the metadata read again of the upgraded contracts in a table or query, and of the proxies of those that are beacons. */
async function requeueTokens(tx: Transaction, upgraded: RawBuilder<unknown>): Promise<void> {
  const proxies = sql.raw(proxiesOf("(SELECT address FROM changed)", postgresLiteral));
  await tx`WITH changed AS MATERIALIZED (SELECT address FROM ${upgraded} AS upgraded)
    UPDATE tokens SET known = 0 WHERE address IN (SELECT address FROM changed UNION ${proxies})`;
}
