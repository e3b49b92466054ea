import { toBytes, toHex } from "../model/hexBytes.ts";
import { NULL_ADDRESS } from "../model/rows.ts";
import { LEGACY_NFT_TOPICS, TRANSFER_TOPIC } from "../model/topics.ts";
import { IndexReadError } from "./indexErrors.ts";
import type { IndexReader, SqlValue } from "./indexReader.ts";
import { padValues, placeholders } from "./placeholders.ts";
import type { QueryResult } from "./queryResult.ts";
import type { NftBalancesTable, NftRangesTable } from "./schema.ts";

/** A page of NFTs or ids. */
export interface NftQueryResult<Row> extends QueryResult<Row> {
  /**
   * Whether there are more tokens that are not listed individually (see `NftRangeRow`) or whose events are not
   * supported.
   */
  isPartial: boolean;
}

export interface BalanceKey {
  token: string;
  /** 32 bytes. */
  tokenId: string;
  owner: string;
}

export interface NftBalance extends BalanceKey {
  standard: number;
  amount: string;
}

/** Balances of an owner (optionally in some collections), of a collection, or of one of its tokens. */
export type BalanceSelection = { owner: string; tokens?: string[] } | { token: string; tokenId?: string };

/** Balances of NFTs in the index of one chain. */
export class NftBalances {
  readonly #reader: IndexReader;

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** Returns current balances by token and id. `after` is the last row of the previous page. */
  async listBalances(
    selection: BalanceSelection,
    { after, offset, limit }: { after?: BalanceKey; offset: number; limit: number },
  ): Promise<NftQueryResult<NftBalance>> {
    const { deadlineCheck } = this.#reader.dialect;
    const { where, values } = balanceCondition(selection);
    const ranges = rangeCondition(selection);
    const cursorCondition = after ? " AND (token, token_id, owner) > (?, ?, ?)" : "";
    const cursorValues = after ? [toBytes(after.token), toBytes(after.tokenId), toBytes(after.owner)] : [];
    const from = `FROM nft_balances WHERE held = 1 AND ${where}${deadlineCheck}`;
    const [rows, [count]] = await Promise.all([
      this.#reader.all<NftBalancesTable>(
        `SELECT * ${from}${cursorCondition} ORDER BY token, token_id, owner LIMIT ? OFFSET ?`,
        [...values, ...cursorValues, limit, offset],
        "list",
      ),
      this.#reader.all<{ n: number; ranges: number }>(
        `SELECT count(*) AS n, (SELECT count(*) FROM nft_ranges WHERE ${ranges.where}${deadlineCheck}) AS ranges ${from}`,
        [...ranges.values, ...values],
        "list",
      ),
    ]);
    const total = count?.n ?? 0;
    const found = { rows: rows.map(nftBalance), total, isPartial: (count?.ranges ?? 0) > 0 };
    if ("owner" in selection) return found;
    if (selection.tokenId !== undefined && found.isPartial)
      return this.#withRangeOwner(selection.token, selection.tokenId, found);
    return {
      ...found,
      isPartial: found.isPartial || (total === 0 && (await this.hasLegacyTransfers(selection.token))),
    };
  }

  /** The owner of an unlisted token in a range that has not moved since is the receiver of the range. */
  async #withRangeOwner(
    token: string,
    tokenId: string,
    found: NftQueryResult<NftBalance>,
  ): Promise<NftQueryResult<NftBalance>> {
    const key = [toBytes(token), toBytes(tokenId)];
    const [range] = await this.#reader.all<Pick<NftRangesTable, "to_address">>(
      `SELECT to_address FROM nft_ranges WHERE token = ? AND first <= ? AND last >= ?
         AND NOT EXISTS (SELECT 1 FROM nft_balances b WHERE b.token = ? AND b.token_id = ?)
       ORDER BY position DESC LIMIT 1`,
      [...key, toBytes(tokenId), ...key],
    );
    const owner = range && toHex(range.to_address);
    if (owner === undefined || owner === NULL_ADDRESS) return { ...found, isPartial: false };
    return { rows: [{ token, tokenId, owner, standard: 721, amount: "1" }], total: 1, isPartial: false };
  }

  /**
   * Whether a contract has logged transfers with events that predate EIP-721. ERC-20 transfers of the same form are
   * indexed as such, so this is checked only if nothing else is known about the contract.
   */
  async hasLegacyTransfers(token: string): Promise<boolean> {
    const tokenBytes = toBytes(token);
    const rows = await this.#reader.all<{ n: number }>(
      `SELECT 1 AS n FROM logs WHERE erc20 = 0 AND address = ?
         AND topic0 IN (?, ${placeholders(LEGACY_TOPICS.length)}) AND (topic0 <> ? OR topic1 IS NULL)
         ${this.#reader.dialect.deadlineCheck} LIMIT 1`,
      [tokenBytes, TRANSFER_TOPIC_BYTES, ...padValues(LEGACY_TOPICS), TRANSFER_TOPIC_BYTES],
      "list",
    );
    return rows.length > 0;
  }

  /** Returns the ids of a collection that have owners, in order, with their total amounts. */
  async listTokenIds(
    token: string,
    { after, offset, limit }: { after?: string | undefined; offset: number; limit: number },
  ): Promise<NftQueryResult<{ tokenId: string; standard: number; amount: string }>> {
    const tokenBytes = toBytes(token);
    const from = `FROM nft_balances WHERE token = ? AND held = 1${this.#reader.dialect.deadlineCheck}`;
    const ids = await this.#reader.all<{ token_id: Uint8Array }>(
      `SELECT DISTINCT token_id ${from}${after ? " AND token_id > ?" : ""} ORDER BY token_id LIMIT ? OFFSET ?`,
      [tokenBytes, ...(after ? [toBytes(after)] : []), limit, offset],
      "list",
    );
    const [count] = await this.#reader.all<{ n: number; ranges: number }>(
      `SELECT count(DISTINCT token_id) AS n, (SELECT count(*) FROM nft_ranges WHERE token = ?) AS ranges ${from}`,
      [tokenBytes, tokenBytes],
      "list",
    );
    const total = count?.n ?? 0;
    const isPartial = (count?.ranges ?? 0) > 0 || (total === 0 && (await this.hasLegacyTransfers(token)));
    const first = ids[0]?.token_id;
    const last = ids.at(-1)?.token_id;
    if (!first || !last) return { rows: [], total, isPartial };
    const balances = await this.#reader.all<NftBalancesTable>(
      `SELECT * ${from} AND token_id >= ? AND token_id <= ? ORDER BY token_id LIMIT ${MAX_HOLDERS}`,
      [tokenBytes, first, last],
      "list",
    );
    if (balances.length === MAX_HOLDERS)
      throw new IndexReadError("timeout", `the ids have more than ${MAX_HOLDERS} holders`);
    const sums = new Map<string, { standard: number; amount: bigint }>();
    for (const row of balances) {
      const id = toHex(row.token_id);
      sums.set(id, { standard: row.standard, amount: (sums.get(id)?.amount ?? 0n) + BigInt(row.amount) });
    }
    const rows = [...sums].map(([tokenId, { standard, amount }]) => {
      return { tokenId, standard, amount: amount.toString() };
    });
    return { rows, total, isPartial };
  }

  /** Returns the positions of the mint and of the last transfer to the owner. */
  async transferPositions(
    balances: readonly BalanceKey[],
  ): Promise<{ minted: number | undefined; received: number | undefined }[]> {
    if (balances.length === 0) return [];
    const minted = `SELECT min(position) FROM (
      SELECT min(position) AS position FROM nft_transfers WHERE token = ? AND token_id = ?
      UNION ALL SELECT min(position) FROM nft_ranges WHERE token = ? AND first <= ? AND last >= ?) AS made`;
    const received = `SELECT max(position) FROM nft_transfers
      WHERE token = ? AND token_id = ? AND to_address = ?${this.#reader.dialect.deadlineCheck}`;
    const rows: { n: number; minted: number | null; received: number | null }[] = [];
    for (let at = 0; at < balances.length; at += POSITION_BATCH_SIZE) {
      const batch = balances.slice(at, at + POSITION_BATCH_SIZE);
      const text = batch.map(
        (_, i) => `SELECT ${at + i} AS n, (${minted}) AS minted, (${received}) AS received`,
      );
      const values = batch.flatMap(({ token, tokenId, owner }) => {
        const [contract, id] = [toBytes(token), toBytes(tokenId)];
        return [contract, id, contract, id, id, contract, id, toBytes(owner)];
      });
      rows.push(...(await this.#reader.all<(typeof rows)[number]>(text.join(" UNION ALL "), values, "list")));
    }
    rows.sort((a, b) => a.n - b.n);
    return rows.map((row) => ({ minted: row.minted ?? undefined, received: row.received ?? undefined }));
  }

  /** Returns the total amount of a collection, or of one of its tokens, that owners hold. */
  async totalBalance(token: string, tokenId: string | undefined, owners: string[]): Promise<bigint> {
    const id = tokenId === undefined ? "" : " AND token_id = ?";
    const { deadlineCheck } = this.#reader.dialect;
    const tokenBytes = toBytes(token);
    const [rows, ranges] = await Promise.all([
      this.#reader.all<Pick<NftBalancesTable, "amount" | "held">>(
        `SELECT amount, held FROM nft_balances WHERE owner IN (${placeholders(owners.length)}) AND token = ?${id}${deadlineCheck}`,
        [...padValues(owners.map(toBytes)), tokenBytes, ...(tokenId === undefined ? [] : [toBytes(tokenId)])],
        "list",
      ),
      this.#reader.all<NftRangesTable>(
        `SELECT * FROM nft_ranges WHERE token = ?${deadlineCheck} LIMIT ?`,
        [tokenBytes, MAX_RANGES],
        "list",
      ),
    ]);
    // Outgoing transfers from a range have no listed incoming transfer, so negative balances count too.
    const countedRows = ranges.length > 0 ? rows : rows.filter(({ held }) => held === 1);
    const listedBalance = countedRows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    return ranges.reduce((sum, range) => sum + balanceInRange(range, tokenId, owners), listedBalance);
  }
}

const POSITION_BATCH_SIZE = 100;
/** Max holders of the ids of one page. */
const MAX_HOLDERS = 100_000;
/** Max ranges of one collection. */
const MAX_RANGES = 10_000;
const TRANSFER_TOPIC_BYTES = toBytes(TRANSFER_TOPIC);
const LEGACY_TOPICS = LEGACY_NFT_TOPICS.map(toBytes);

/** Condition for the ranges that may contain tokens of a selection. */
function rangeCondition(selection: BalanceSelection): { where: string; values: SqlValue[] } {
  if (!("owner" in selection)) return { where: "token = ?", values: [toBytes(selection.token)] };
  const { owner, tokens } = selection;
  if (!tokens) return { where: "to_address = ?", values: [toBytes(owner)] };
  return {
    where: `to_address = ? AND token IN (${placeholders(tokens.length)})`,
    values: [toBytes(owner), ...padValues(tokens.map(toBytes))],
  };
}

/** Received minus sent tokens of a range, for one id or all. */
function balanceInRange(
  range: NftRangesTable,
  tokenId: string | undefined,
  owners: readonly string[],
): bigint {
  const [first, last] = [BigInt(toHex(range.first)), BigInt(toHex(range.last))];
  const isOutside = tokenId !== undefined && (BigInt(tokenId) < first || BigInt(tokenId) > last);
  if (isOutside) return 0n;
  const count = tokenId === undefined ? last - first + 1n : 1n;
  const received = owners.includes(toHex(range.to_address)) ? count : 0n;
  return owners.includes(toHex(range.from_address)) ? received - count : received;
}

function balanceCondition(selection: BalanceSelection): { where: string; values: SqlValue[] } {
  if ("owner" in selection) {
    const { owner, tokens } = selection;
    if (!tokens) return { where: "owner = ?", values: [toBytes(owner)] };
    return {
      where: `owner = ? AND token IN (${placeholders(tokens.length)})`,
      values: [toBytes(owner), ...padValues(tokens.map(toBytes))],
    };
  }
  if (selection.tokenId === undefined) return { where: "token = ?", values: [toBytes(selection.token)] };
  return {
    where: "token = ? AND token_id = ?",
    values: [toBytes(selection.token), toBytes(selection.tokenId)],
  };
}

function nftBalance(row: NftBalancesTable): NftBalance {
  return {
    token: toHex(row.token),
    tokenId: toHex(row.token_id),
    owner: toHex(row.owner),
    standard: row.standard,
    amount: row.amount,
  };
}
