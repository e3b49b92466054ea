import { sql } from "kysely";
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
import { nftBalanceChanges } from "./nftBalanceChanges.ts";
import { bytes, copy, merge } from "./postgresCopy.ts";
import { addErc20Balances } from "./postgresErc20Balances.ts";
import { addNftBalances, correctNftOwners } from "./postgresNftBalances.ts";
import type { Transaction } from "./postgresSql.ts";
import { upgradedContracts } from "./upgradedContracts.ts";

/** Inserts blocks with their contents; without the events, if these are stored elsewhere. */
export async function insertBlocks(
  tx: Transaction,
  { blocks, transactions, logs, nftTransfers, nftRanges, nftUpdates, trades, internalTransfers }: BlockRows,
  tokens: DiscoveredToken[],
  { mayExist, elsewhere }: { mayExist: boolean; elsewhere?: EventChange | undefined },
): Promise<void> {
  const insertRows = mayExist ? merge : copy;
  const insertEvents: typeof insertRows = elsewhere ? async () => undefined : insertRows;
  await insertRows(
    tx,
    "blocks",
    blocks.map((row) => [row.number, bytes(row.hash), bytes(row.parentHash), row.timestamp]),
  );
  await insertEvents(
    tx,
    "transactions",
    transactions.map((row) => [
      row.position,
      bytes(row.hash),
      bytes(row.from),
      bytes(row.to),
      row.value,
      row.nonce,
      row.gas,
      row.gasPrice,
      bytes(row.input),
      row.status,
      row.cumulativeGasUsed,
      row.gasUsed,
      bytes(row.contract),
      bytes(row.root),
    ]),
  );
  await insertEvents(
    tx,
    "transaction_fees",
    transactions.flatMap(({ position, fees }) =>
      fees
        ? [
            [
              position,
              fees.type,
              fees.maxFeePerGas,
              fees.maxPriorityFeePerGas,
              fees.effectiveGasPrice,
              fees.details && JSON.stringify(fees.details),
            ],
          ]
        : [],
    ),
  );
  const addedLogs = await insertEvents(
    tx,
    "logs",
    logs.map((row) => [
      row.position,
      row.transactionIndex,
      bytes(row.transactionHash),
      bytes(row.address),
      bytes(row.topics[0]),
      bytes(row.topics[1]),
      bytes(row.topics[2]),
      bytes(row.topics[3]),
      bytes(row.data),
      row.isErc20 ? 1 : 0,
    ]),
  );
  const newLogs = addedLogs ? logs.filter(({ position }) => addedLogs.has(String(position))) : logs;
  const transfers = newLogs.filter(({ isErc20 }) => isErc20);
  await addErc20Balances(tx, erc20BalanceChanges(transfers, 1));
  const upgraded = upgradedContracts(newLogs);
  if (upgraded.length > 0) {
    await tx`UPDATE tokens SET known = 0
      WHERE address IN (SELECT decode(substr(item, 3), 'hex') FROM jsonb_array_elements_text(${JSON.stringify(upgraded)}::text::jsonb) AS item)`;
  }
  await insertEvents(
    tx,
    "trades",
    trades.map((row) => [
      row.position,
      row.transactionIndex,
      bytes(row.transactionHash),
      bytes(row.token),
      bytes(row.marketplace),
      bytes(row.seller),
      bytes(row.buyer),
      bytes(row.price),
      bytes(row.priceToken),
      row.tokenIds.join(),
    ]),
  );
  await insertRows(
    tx,
    "nft_ranges",
    nftRanges.map(({ position, token, first, last, from, to }) => [
      position,
      ...[token, first, last, from, to].map(bytes),
    ]),
  );
  await insertEvents(
    tx,
    "internal_transfers",
    (internalTransfers ?? []).map(({ position, part, from, to, value, isCreation }) => {
      return [position, part, bytes(from), bytes(to), value, isCreation ? 1 : 0];
    }),
  );
  const added = await insertEvents(
    tx,
    "nft_transfers",
    nftTransfers.map((row) => [
      row.position,
      row.part,
      row.transactionIndex,
      bytes(row.transactionHash),
      bytes(row.token),
      bytes(row.tokenId),
      row.standard,
      row.isBatch ? 1 : 0,
      bytes(row.operator),
      bytes(row.from),
      bytes(row.to),
      row.amount,
    ]),
  );
  const addedTransfers = added
    ? nftTransfers.filter((row) => added.has(`${row.position}.${row.part}`))
    : nftTransfers;
  await addNftBalances(tx, nftBalanceChanges(addedTransfers, 1));
  await correctNftOwners(tx, addedTransfers, { receivers: elsewhere?.receivers });
  await addDiscoveredNfts(tx, nftTransfers, mayExist);
  await addUpdates(tx, nftUpdates);
  if (tokens.length === 0) return;
  await tx`
    INSERT INTO tokens (address, standard, position, known)
    SELECT decode(substr(address, 3), 'hex'), standard, position, 0
    FROM jsonb_to_recordset(${JSON.stringify(tokens)}::text::jsonb) AS token (address text, standard int8, position int8)
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
  const rows = JSON.stringify(discoverNfts(transfers));
  const discovered = sql`
    SELECT decode(substr(token, 3), 'hex') AS token, decode(substr("tokenId", 3), 'hex') AS token_id, standard, position
    FROM jsonb_to_recordset(${rows}::text::jsonb) AS nft (token text, "tokenId" text, standard int8, position int8)`;
  await tx`INSERT INTO nft_metadata (token, token_id, standard, position) ${discovered} ON CONFLICT DO NOTHING`;
  if (!mayExist) return;
  await tx`UPDATE nft_metadata SET position = seen.position FROM (${discovered}) AS seen
    WHERE nft_metadata.token = seen.token AND nft_metadata.token_id = seen.token_id
      AND nft_metadata.position > seen.position`;
}

async function addUpdates(tx: Transaction, updates: NftUpdateRow[]): Promise<void> {
  if (updates.length === 0) return;
  const rows = updates.map(({ position, ...range }) => ({ ...range, block: blockOf(position) }));
  await tx`
    INSERT INTO nft_updates
    SELECT decode(substr(token, 3), 'hex'), decode(substr(first, 3), 'hex'), decode(substr(max(last), 3), 'hex'), max(block)
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS item (token text, first text, last text, block int8)
    GROUP BY token, first
    ON CONFLICT (token, first) DO UPDATE SET last = greatest(nft_updates.last, excluded.last),
      block = greatest(nft_updates.block, excluded.block)`;
}
