import { toBytes, toHex } from "../model/hexBytes.ts";
import { NULL_ADDRESS } from "../model/rows.ts";
import { EARLY_NFT_TOPICS, TRANSFER_TOPIC } from "../model/topics.ts";
import { IndexReadError } from "./indexErrors.ts";
import type { IndexReader, SqlValue } from "./indexReader.ts";
import { marks, padded } from "./placeholders.ts";
import type { Found } from "./queryResult.ts";
import type { NftBalancesTable, NftRangesTable } from "./schema.ts";

/** NFTs that are held, or their ids. */
export interface FoundNfts<Row> extends Found<Row> {
  /** Whether there are more that the index does not list one by one (see `NftRangeRow`), or cannot read. */
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

/** Whose balances: an owner's (of some collections only), a collection's, or those of one of its tokens. */
export type BalanceSelection = { owner: string; tokens?: string[] } | { token: string; tokenId?: string };

/** Who holds which NFTs, in the index of one chain. */
export class NftHoldings {
  readonly #reader: IndexReader;

  constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** What is held now, by token and id. `after` is the row before the first that is wanted. */
  async balances(
    of: BalanceSelection,
    { after, offset, limit }: { after?: BalanceKey; offset: number; limit: number },
  ): Promise<FoundNfts<NftBalance>> {
    const { visits } = this.#reader.dialect;
    const { where, values } = balanceCondition(of);
    const ranges = rangeCondition(of);
    const seek = after ? " AND (token, token_id, owner) > (?, ?, ?)" : "";
    const place = after ? [toBytes(after.token), toBytes(after.tokenId), toBytes(after.owner)] : [];
    const from = `FROM nft_balances WHERE held = 1 AND ${where}${visits}`;
    const [rows, [count]] = await Promise.all([
      this.#reader.all<NftBalancesTable>(
        `SELECT * ${from}${seek} ORDER BY token, token_id, owner LIMIT ? OFFSET ?`,
        [...values, ...place, limit, offset],
        "list",
      ),
      this.#reader.all<{ n: number; ranges: number }>(
        `SELECT count(*) AS n, (SELECT count(*) FROM nft_ranges WHERE ${ranges.where}${visits}) AS ranges ${from}`,
        [...ranges.values, ...values],
        "list",
      ),
    ]);
    const total = count?.n ?? 0;
    const found = { rows: rows.map(nftBalance), total, isPartial: (count?.ranges ?? 0) > 0 };
    if ("owner" in of) return found;
    if (of.tokenId !== undefined && found.isPartial) return this.#withRangeOwner(of.token, of.tokenId, found);
    return { ...found, isPartial: found.isPartial || (total === 0 && (await this.hasEarlyNfts(of.token))) };
  }

  /** Of a token that is not listed but of a range, and that nobody has moved since, the range's receiver is the owner. */
  async #withRangeOwner(
    token: string,
    tokenId: string,
    found: FoundNfts<NftBalance>,
  ): Promise<FoundNfts<NftBalance>> {
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
   * Whether a contract has logged transfers in a way that EIP-721 does not know: those of ERC-20 tokens of the same shape
   * are indexed as such, so they are asked for only where nothing else is known of the contract.
   */
  async hasEarlyNfts(token: string): Promise<boolean> {
    const own = toBytes(token);
    const rows = await this.#reader.all<{ n: number }>(
      `SELECT 1 AS n FROM logs WHERE erc20 = 0 AND address = ?
         AND topic0 IN (?, ${marks(EARLY_NFTS.length)}) AND (topic0 <> ? OR topic1 IS NULL)
         ${this.#reader.dialect.visits} LIMIT 1`,
      [own, TRANSFER, ...padded(EARLY_NFTS), TRANSFER],
      "list",
    );
    return rows.length > 0;
  }

  /** The ids of a collection of which anybody holds any, in their order, with how many there are of each. */
  async ids(
    token: string,
    { after, offset, limit }: { after?: string | undefined; offset: number; limit: number },
  ): Promise<FoundNfts<{ tokenId: string; standard: number; amount: string }>> {
    const own = toBytes(token);
    const from = `FROM nft_balances WHERE token = ? AND held = 1${this.#reader.dialect.visits}`;
    const ids = await this.#reader.all<{ token_id: Uint8Array }>(
      `SELECT DISTINCT token_id ${from}${after ? " AND token_id > ?" : ""} ORDER BY token_id LIMIT ? OFFSET ?`,
      [own, ...(after ? [toBytes(after)] : []), limit, offset],
      "list",
    );
    const [count] = await this.#reader.all<{ n: number; ranges: number }>(
      `SELECT count(DISTINCT token_id) AS n, (SELECT count(*) FROM nft_ranges WHERE token = ?) AS ranges ${from}`,
      [own, own],
      "list",
    );
    const total = count?.n ?? 0;
    const isPartial = (count?.ranges ?? 0) > 0 || (total === 0 && (await this.hasEarlyNfts(token)));
    const first = ids[0]?.token_id;
    const last = ids.at(-1)?.token_id;
    if (!first || !last) return { rows: [], total, isPartial };
    const held = await this.#reader.all<NftBalancesTable>(
      `SELECT * ${from} AND token_id >= ? AND token_id <= ? ORDER BY token_id LIMIT ${MAX_HOLDERS}`,
      [own, first, last],
      "list",
    );
    if (held.length === MAX_HOLDERS)
      throw new IndexReadError("late", `the ids have more than ${MAX_HOLDERS} holders together`);
    const sums = new Map<string, { standard: number; amount: bigint }>();
    for (const row of held) {
      const id = toHex(row.token_id);
      sums.set(id, { standard: row.standard, amount: (sums.get(id)?.amount ?? 0n) + BigInt(row.amount) });
    }
    const rows = [...sums].map(([tokenId, { standard, amount }]) => {
      return { tokenId, standard, amount: amount.toString() };
    });
    return { rows, total, isPartial };
  }

  /** When tokens were made and last moved to an owner: positions, by token, id and owner. */
  async moments(
    balances: readonly BalanceKey[],
  ): Promise<{ minted: number | undefined; moved: number | undefined }[]> {
    if (balances.length === 0) return [];
    const minted = `SELECT min(position) FROM (
      SELECT min(position) AS position FROM nft_transfers WHERE token = ? AND token_id = ?
      UNION ALL SELECT min(position) FROM nft_ranges WHERE token = ? AND first <= ? AND last >= ?) AS made`;
    const moved = `SELECT max(position) FROM nft_transfers
      WHERE token = ? AND token_id = ? AND to_address = ?${this.#reader.dialect.visits}`;
    const rows: { n: number; minted: number | null; moved: number | null }[] = [];
    for (let at = 0; at < balances.length; at += MOMENTS_AT_ONCE) {
      const some = balances.slice(at, at + MOMENTS_AT_ONCE);
      const text = some.map((_, i) => `SELECT ${at + i} AS n, (${minted}) AS minted, (${moved}) AS moved`);
      const values = some.flatMap(({ token, tokenId, owner }) => {
        const [contract, id] = [toBytes(token), toBytes(tokenId)];
        return [contract, id, contract, id, id, contract, id, toBytes(owner)];
      });
      rows.push(...(await this.#reader.all<(typeof rows)[number]>(text.join(" UNION ALL "), values, "list")));
    }
    rows.sort((a, b) => a.n - b.n);
    return rows.map((row) => ({ minted: row.minted ?? undefined, moved: row.moved ?? undefined }));
  }

  /** How many pieces of a collection, or of one of its tokens, owners hold together. */
  async held(token: string, tokenId: string | undefined, owners: string[]): Promise<bigint> {
    const id = tokenId === undefined ? "" : " AND token_id = ?";
    const { visits } = this.#reader.dialect;
    const own = toBytes(token);
    const [rows, ranges] = await Promise.all([
      this.#reader.all<Pick<NftBalancesTable, "amount" | "held">>(
        `SELECT amount, held FROM nft_balances WHERE owner IN (${marks(owners.length)}) AND token = ?${id}${visits}`,
        [...padded(owners.map(toBytes)), own, ...(tokenId === undefined ? [] : [toBytes(tokenId)])],
        "list",
      ),
      this.#reader.all<NftRangesTable>(
        `SELECT * FROM nft_ranges WHERE token = ?${visits} LIMIT ?`,
        [own, MAX_RANGES],
        "list",
      ),
    ]);
    // What was given away of a range was never listed as received: there, what is below zero counts too.
    const counted = ranges.length > 0 ? rows : rows.filter(({ held }) => held === 1);
    const listed = counted.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    return ranges.reduce((sum, range) => sum + heldOfRange(range, tokenId, owners), listed);
  }
}

const MOMENTS_AT_ONCE = 100;
/** Holders of the ids of one page that are added up. */
const MAX_HOLDERS = 100_000;
/** Ranges of one collection that are added up. */
const MAX_RANGES = 10_000;
const TRANSFER = toBytes(TRANSFER_TOPIC);
const EARLY_NFTS = EARLY_NFT_TOPICS.map(toBytes);

/** The ranges that tokens of a selection may be in. */
function rangeCondition(of: BalanceSelection): { where: string; values: SqlValue[] } {
  if (!("owner" in of)) return { where: "token = ?", values: [toBytes(of.token)] };
  const { owner, tokens } = of;
  if (!tokens) return { where: "to_address = ?", values: [toBytes(owner)] };
  return {
    where: `to_address = ? AND token IN (${marks(tokens.length)})`,
    values: [toBytes(owner), ...padded(tokens.map(toBytes))],
  };
}

/** What owners got by a range less what they gave, of one id or of all. */
function heldOfRange(range: NftRangesTable, tokenId: string | undefined, owners: readonly string[]): bigint {
  const [first, last] = [BigInt(toHex(range.first)), BigInt(toHex(range.last))];
  const isOutside = tokenId !== undefined && (BigInt(tokenId) < first || BigInt(tokenId) > last);
  if (isOutside) return 0n;
  const count = tokenId === undefined ? last - first + 1n : 1n;
  const got = owners.includes(toHex(range.to_address)) ? count : 0n;
  return owners.includes(toHex(range.from_address)) ? got - count : got;
}

function balanceCondition(of: BalanceSelection): { where: string; values: SqlValue[] } {
  if ("owner" in of) {
    const { owner, tokens } = of;
    if (!tokens) return { where: "owner = ?", values: [toBytes(owner)] };
    return {
      where: `owner = ? AND token IN (${marks(tokens.length)})`,
      values: [toBytes(owner), ...padded(tokens.map(toBytes))],
    };
  }
  if (of.tokenId === undefined) return { where: "token = ?", values: [toBytes(of.token)] };
  return { where: "token = ? AND token_id = ?", values: [toBytes(of.token), toBytes(of.tokenId)] };
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
