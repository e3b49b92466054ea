import { sql } from "kysely";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { type NftTransferRow, NULL_ADDRESS } from "../model/rows.ts";
import { hasAllTransfers, type NftBalanceChange, touchedErc721 } from "./nftBalanceChanges.ts";
import { rowsTable } from "./postgresRows.ts";
import type { Transaction } from "./postgresSql.ts";
import { nftTransferRow } from "./tableRows.ts";
import type { NftTransfersTable } from "./tables.ts";

/** Adds changes to the balances of NFTs. */
export async function addNftBalances(tx: Transaction, changes: NftBalanceChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx`
    INSERT INTO nft_balances (token, token_id, owner, standard, amount, held)
    SELECT token, "tokenId", owner, standard, amount, CASE WHEN amount::numeric > 0 THEN 1 ELSE 0 END
    FROM ${rowsTable(changes, {
      bytes: ["token", "tokenId", "owner"],
      texts: ["amount"],
      numbers: ["standard"],
    })} AS sum
    ON CONFLICT (token, token_id, owner) DO UPDATE SET standard = excluded.standard,
      amount = (nft_balances.amount::numeric + excluded.amount::numeric)::text,
      held = CASE WHEN nft_balances.amount::numeric + excluded.amount::numeric > 0 THEN 1 ELSE 0 END`;
  await tx`DELETE FROM nft_balances WHERE amount = '0'`;
}

/** See SqliteNftOwners. With `hasDropped`, the last transfer of a token may have been removed with its partition. */
export async function correctNftOwners(
  tx: Transaction,
  transfers: readonly NftTransferRow[],
  {
    receivers,
    hasDropped = false,
  }: { receivers?: ReadonlyMap<string, string> | undefined; hasDropped?: boolean } = {},
): Promise<void> {
  const tokens = touchedErc721(transfers);
  if (tokens.length === 0) return;
  const [definition] = await tx<{ value: string }>`SELECT value FROM facts WHERE key = 'making'`;
  if (!hasAllTransfers(definition?.value)) return;
  const none = toBytes(NULL_ADDRESS);
  const last = sql`(SELECT to_address FROM nft_transfers AS moved
        WHERE moved.token = touched.token AND moved.token_id = touched.token_id
        ORDER BY position DESC, part DESC LIMIT 1)`;
  const dropped = sql`(SELECT receiver FROM dropped_nfts
        WHERE dropped_nfts.token = touched.token AND dropped_nfts.token_id = touched.token_id)`;
  const indexed = hasDropped ? sql`coalesce(${last}, ${dropped})` : last;
  const owner = receivers ? sql`touched.owner` : indexed;
  const touched = tokens.map(({ token, tokenId }) => ({
    token,
    tokenId,
    owner: receivers?.get(token + tokenId) ?? "0x",
  }));
  const wrong = await tx<{ token: Buffer; token_id: Buffer; owner: Buffer | null }>`
    WITH touched AS (
      SELECT token, "tokenId" AS token_id, nullif(owner, '') AS owner
      FROM ${rowsTable(touched, { bytes: ["token", "tokenId", "owner"] })} AS item),
    owned AS (SELECT token, token_id, ${owner} AS owner FROM touched)
    SELECT token, token_id, owner FROM owned
    CROSS JOIN LATERAL (
      SELECT count(*) AS total, count(*) FILTER (WHERE held = 1) AS holders,
        count(*) FILTER (WHERE held = 1 AND amount = '1' AND balance.owner = owned.owner) AS right_holders,
        count(*) FILTER (WHERE standard <> 721) AS others
      FROM nft_balances AS balance
      WHERE balance.token = owned.token AND balance.token_id = owned.token_id) AS found
    WHERE others = 0
      AND CASE WHEN owner IS NULL THEN total > 0 WHEN owner = ${none} THEN holders > 0
        ELSE holders <> 1 OR right_holders <> 1 END
      AND NOT EXISTS (SELECT FROM nft_ranges WHERE nft_ranges.token = owned.token
        AND first <= owned.token_id AND last >= owned.token_id)`;
  for (const { token, token_id, owner: receiver } of wrong) {
    await tx`DELETE FROM nft_balances WHERE token = ${token} AND token_id = ${token_id}`;
    if (receiver && toHex(receiver) !== NULL_ADDRESS)
      await tx`INSERT INTO nft_balances VALUES (${token}, ${token_id}, ${receiver}, 721, '1', 1)`;
  }
}

/** Corrects the owners of the ERC-721 tokens of stored transfers from a position to before another one. */
export async function correctNftOwnersBetween(tx: Transaction, from: number, end: number): Promise<void> {
  const transfers = await tx<NftTransfersTable>`
    SELECT * FROM nft_transfers WHERE position >= ${from} AND position < ${end} AND standard = 721`;
  await correctNftOwners(tx, transfers.map(nftTransferRow));
}
