import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { NULL_ADDRESS } from "../model/rows.ts";
import { type NftKey, nftKeyString } from "../model/tokens.ts";
import { LEGACY_NFT_TOPICS, TRANSFER_TOPIC } from "../model/topics.ts";
import { columnarTransferPositions } from "./columnarNfts.ts";
import { CountCache, type HeldCount } from "./countCache.ts";
import { IndexReadError } from "./indexErrors.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import {
  type BalanceKey,
  type BalanceSelection,
  balanceCondition,
  balancesAfter,
  contains,
  isHeld,
  mintPosition,
  rangeCondition,
  receiptPosition,
} from "./nftBalanceConditions.ts";
import { padValues } from "./padValues.ts";
import type { QueryResult } from "./queryResult.ts";
import type { ChainTables, NftBalancesTable, NftRangesTable } from "./tables.ts";

const ofLogs = expressionBuilder<ChainTables, "logs">();

/** A page of NFTs or ids. */
export interface NftQueryResult<Row> extends QueryResult<Row> {
  /**
   * Whether there are more tokens that are not listed individually (see `NftRangeRow`) or whose events are not
   * supported.
   */
  isPartial: boolean;
}

/** What the first page of a list found about all pages. */
export type CountedPages = Pick<NftQueryResult<never>, "total" | "isPartial">;

/** A page; `after` is the last row of the previous one, `counted` what the first one found. */
interface PageOptions<After> {
  after?: After | undefined;
  counted?: CountedPages | undefined;
  offset: number;
  limit: number;
}

export interface NftBalance extends BalanceKey {
  standard: number;
  amount: string;
}

/** Balances of NFTs in the index of one chain. */
export class NftBalances {
  readonly #reader: IndexReader;
  readonly #events: IndexReader;
  readonly #counts: CountCache;

  /** `events` reads transfers, if they are stored elsewhere. */
  constructor(reader: IndexReader, events = reader) {
    this.#reader = reader;
    this.#events = events;
    this.#counts = new CountCache(reader);
  }

  /** Returns current balances by token and id. */
  async listBalances(
    selection: BalanceSelection,
    { after, counted, offset, limit }: PageOptions<BalanceKey>,
  ): Promise<NftQueryResult<NftBalance>> {
    const { deadlineCheck } = this.#reader.dialect;
    const all = query.selectFrom("nft_balances").where(isHeld).where(deadlineCheck);
    const held = all.where(balanceCondition(selection));
    const page = after ? all.where(balancesAfter(selection, after)) : held;
    const ranges = query
      .selectFrom("nft_ranges")
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .where(rangeCondition(selection))
      .where(deadlineCheck);
    const [rows, count] = await Promise.all([
      this.#reader.all(
        page.selectAll().orderBy("token").orderBy("token_id").orderBy("owner").limit(limit).offset(offset),
        "list",
      ),
      counted === undefined
        ? this.#counts.read(
            held.select((eb) => [eb.fn.countAll<number>().as("n"), orZero(ranges).as("ranges")]),
          )
        : undefined,
    ]);
    if (counted) return { ...counted, rows: rows.map(nftBalance) };
    const { n: total, ranges: rangeCount }: HeldCount = count ?? { n: 0, ranges: 0 };
    const found = { rows: rows.map(nftBalance), total, isPartial: rangeCount > 0 };
    if ("owner" in selection) return found;
    if (selection.tokenId !== undefined && found.isPartial)
      return this.#withRangeOwner(selection.token, selection.tokenId, found);
    return {
      ...found,
      isPartial: found.isPartial || (total === 0 && (await this.hasLegacyTransfers(selection.token))),
    };
  }

  /** The number of collections of which an owner has tokens. */
  async countCollections(owner: string): Promise<number> {
    const [row] = await this.#reader.all(
      query
        .selectFrom("nft_balances")
        .select((eb) => eb.fn.count<number>("token").distinct().as("n"))
        .where(isHeld)
        .where("owner", "=", toBytes(owner))
        .where(this.#reader.dialect.deadlineCheck),
      "list",
    );
    return row?.n ?? 0;
  }

  /** The owner of an unlisted token in a range that has not moved since is the receiver of the range. */
  async #withRangeOwner(
    token: string,
    tokenId: string,
    found: NftQueryResult<NftBalance>,
  ): Promise<NftQueryResult<NftBalance>> {
    const [contract, id] = [toBytes(token), toBytes(tokenId)];
    const listed = query
      .selectFrom("nft_balances")
      .select(sql.lit(1).as("one"))
      .where("token", "=", contract)
      .where("token_id", "=", id);
    const [range] = await this.#reader.all(
      query
        .selectFrom("nft_ranges")
        .select("to_address")
        .where(contains(contract, id))
        .where((eb) => eb.not(eb.exists(listed)))
        .orderBy("position", "desc")
        .limit(1),
    );
    const owner = range && toHex(range.to_address);
    if (owner === undefined || owner === NULL_ADDRESS) return { ...found, isPartial: false };
    return { rows: [{ token, tokenId, owner, standard: 721, amount: "1" }], total: 1, isPartial: false };
  }

  /**
   * Whether a contract has logged transfers with events that predate EIP-721. ERC-20 transfers of the same form are
   * indexed as such, so this is checked only if nothing else is known about the contract: false for a collection with
   * indexed transfers, of which all logs would be read.
   */
  async hasLegacyTransfers(token: string): Promise<boolean> {
    const collections = await this.#reader.all(
      query
        .selectFrom("tokens")
        .select(sql.lit(1).as("n"))
        .where("address", "=", toBytes(token))
        .where("standard", "in", [721, 1155])
        .where("position", "is not", null),
    );
    if (collections.length > 0) return false;
    const { dialect } = this.#events;
    const hasNoTopic1 = dialect.isColumnar ? sql<SqlBool>`has_topic1 = 0` : ofLogs("topic1", "is", null);
    const isLegacy = ofLogs.and([
      ofLogs("erc20", "=", ofLogs.lit(0)),
      ofLogs("address", "=", toBytes(token)),
      ofLogs("topic0", "in", [TRANSFER_TOPIC_BYTES, ...LEGACY_TOPICS]),
      ofLogs.or([ofLogs("topic0", "<>", TRANSFER_TOPIC_BYTES), hasNoTopic1]),
    ]);
    const rows = await this.#events.all(
      query
        .selectFrom(dialect.ordered("logs", isLegacy).as("logs"))
        .select(sql.lit(1).as("n"))
        .where(isLegacy)
        .where(dialect.deadlineCheck)
        .limit(1),
      "list",
    );
    return rows.length > 0;
  }

  /** Returns the ids of a collection that have owners, in order, with their total amounts. */
  async listTokenIds(
    token: string,
    { after, counted, offset, limit }: PageOptions<string>,
  ): Promise<NftQueryResult<{ tokenId: string; standard: number; amount: string }>> {
    const held = query
      .selectFrom("nft_balances")
      .where("token", "=", toBytes(token))
      .where(isHeld)
      .where(this.#reader.dialect.deadlineCheck);
    const page = after ? held.where("token_id", ">", toBytes(after)) : held;
    const ids = await this.#reader.all(
      page.select("token_id").distinct().orderBy("token_id").limit(limit).offset(offset),
      "list",
    );
    const countIds = async (): Promise<CountedPages> => {
      const ranges = query
        .selectFrom("nft_ranges")
        .select((eb) => eb.fn.countAll<number>().as("n"))
        .where("token", "=", toBytes(token));
      const count = await this.#counts.read(
        held.select((eb) => [
          eb.fn.count<number>("token_id").distinct().as("n"),
          orZero(ranges).as("ranges"),
        ]),
      );
      const isEmpty = count.n === 0 && (await this.hasLegacyTransfers(token));
      return { total: count.n, isPartial: count.ranges > 0 || isEmpty };
    };
    const { total, isPartial } = counted ?? (await countIds());
    const first = ids[0]?.token_id;
    const last = ids.at(-1)?.token_id;
    if (!first || !last) return { rows: [], total, isPartial };
    const balances = await this.#reader.all(
      held
        .selectAll()
        .where("token_id", ">=", first)
        .where("token_id", "<=", last)
        .orderBy("token_id")
        .limit(sql.lit(MAX_HOLDERS)),
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

  /** Returns the total amounts of tokens that owners hold, and the balance of the first owner, by `nftKeyString`. */
  async holdings(keys: readonly NftKey[]): Promise<Map<string, { amount: bigint; first: NftBalance }>> {
    if (keys.length === 0) return new Map();
    const rows = await this.#reader.all(
      query
        .selectFrom("nft_balances")
        .selectAll()
        .where((eb) =>
          eb.or(
            keys.map(({ token, tokenId }) =>
              eb("token", "=", toBytes(token)).and("token_id", "=", toBytes(tokenId)),
            ),
          ),
        )
        .where(isHeld)
        .where(this.#reader.dialect.deadlineCheck)
        .limit(sql.lit(MAX_HOLDERS)),
      "list",
    );
    if (rows.length === MAX_HOLDERS)
      throw new IndexReadError("timeout", `the tokens have more than ${MAX_HOLDERS} holders`);
    const holdings = new Map<string, { amount: bigint; first: NftBalance }>();
    for (const balance of rows.map(nftBalance)) {
      const key = nftKeyString(balance);
      const { amount, first } = holdings.get(key) ?? { amount: 0n, first: balance };
      const next = balance.owner < first.owner ? balance : first;
      holdings.set(key, { amount: amount + BigInt(balance.amount), first: next });
    }
    return holdings;
  }

  /** Returns the total amount that all owners of a token hold. Rejects with IndexReadError if they are too many. */
  async totalAmount(token: string, tokenId: string): Promise<bigint> {
    let total = 0n;
    let after: BalanceKey | undefined;
    for (let reads = 0; reads < MAX_AMOUNT_READS; reads++) {
      const held = query
        .selectFrom("nft_balances")
        .select(["owner", "amount"])
        .where(isHeld)
        .where(after ? balancesAfter({ token, tokenId }, after) : balanceCondition({ token, tokenId }))
        .where(this.#reader.dialect.deadlineCheck);
      const rows = await this.#reader.all(
        held.orderBy("token").orderBy("token_id").orderBy("owner").limit(sql.lit(MAX_HOLDERS)),
        "list",
      );
      for (const { amount } of rows) total += BigInt(amount);
      const last = rows.at(-1);
      if (rows.length < MAX_HOLDERS || !last) return total;
      after = { token, tokenId, owner: toHex(last.owner) };
    }
    throw new IndexReadError("timeout", `the token has more than ${MAX_AMOUNT_READS * MAX_HOLDERS} owners`);
  }

  /**
   * Returns the positions of the mint and of the last transfer to the owner. With `hasDropped`, transfers have been
   * removed from the index, and the last one to an owner of an ERC-1155 token may be undefined.
   */
  async transferPositions(
    balances: readonly Pick<NftBalance, keyof BalanceKey | "standard">[],
    hasDropped = false,
  ): Promise<{ minted: number | undefined; received: number | undefined }[]> {
    if (balances.length === 0) return [];
    if (this.#events.dialect.isColumnar)
      return columnarTransferPositions(this.#events, this.#reader, balances);
    const { bytes, deadlineCheck } = this.#reader.dialect;
    const rows: PositionRow[] = [];
    for (let at = 0; at < balances.length; at += POSITION_BATCH_SIZE) {
      const batch = balances.slice(at, at + POSITION_BATCH_SIZE);
      const values = batch.map(({ token, tokenId, owner, standard }, i) => {
        const [contract, id, account] = [token, tokenId, owner].map(
          (each) => sql`CAST(${toBytes(each)} AS ${bytes})`,
        );
        return sql`(${sql.lit(at + i)}, ${contract}, ${id}, ${account}, ${sql.lit(standard)})`;
      });
      const columns = {
        token: sql`listed.column2`,
        id: sql`listed.column3`,
        owner: sql`listed.column4`,
        standard: sql`listed.column5`,
      };
      const positions = sql<PositionRow>`SELECT column1 AS n, ${mintPosition(columns, hasDropped)} AS minted,
        ${receiptPosition(columns, hasDropped)} AS received FROM (VALUES ${sql.join(values)}) AS listed WHERE ${deadlineCheck}`;
      rows.push(...(await this.#reader.all(positions, "list")));
    }
    rows.sort((a, b) => a.n - b.n);
    return rows.map((row) => ({ minted: row.minted ?? undefined, received: row.received ?? undefined }));
  }

  /** Returns the total amount of a collection, or of one of its tokens, that owners hold. */
  async totalBalance(token: string, tokenId: string | undefined, owners: string[]): Promise<bigint> {
    const { deadlineCheck } = this.#reader.dialect;
    const ofOwners = query
      .selectFrom("nft_balances")
      .select(["amount", "held"])
      .where("owner", "in", padValues(owners.map(toBytes)))
      .where("token", "=", toBytes(token))
      .where(deadlineCheck);
    const [rows, ranges] = await Promise.all([
      this.#reader.all(
        tokenId === undefined ? ofOwners : ofOwners.where("token_id", "=", toBytes(tokenId)),
        "list",
      ),
      this.#reader.all(
        query
          .selectFrom("nft_ranges")
          .selectAll()
          .where("token", "=", toBytes(token))
          .where(deadlineCheck)
          .limit(MAX_RANGES),
        "list",
      ),
    ]);
    // Outgoing transfers from a range have no listed incoming transfer, so negative balances count too.
    const countedRows = ranges.length > 0 ? rows : rows.filter(({ held }) => held === 1);
    const listedBalance = countedRows.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    return ranges.reduce((sum, range) => sum + balanceInRange(range, tokenId, owners), listedBalance);
  }
}

interface PositionRow {
  n: number;
  minted: number | null;
  received: number | null;
}

const POSITION_BATCH_SIZE = 500;
/** Max holders of the ids of one page. */
const MAX_HOLDERS = 100_000;
/** Max reads of the owners of one token. */
const MAX_AMOUNT_READS = 20;
/** Max ranges of one collection. */
const MAX_RANGES = 10_000;
const TRANSFER_TOPIC_BYTES = toBytes(TRANSFER_TOPIC);
const LEGACY_TOPICS = LEGACY_NFT_TOPICS.map(toBytes);

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

/** A scalar subquery that has a row always. */
function orZero(counting: Expression<unknown>): RawBuilder<number> {
  return sql<number>`coalesce(${counting}, 0)`;
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
