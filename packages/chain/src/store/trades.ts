import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import type { Marketplace } from "../model/chainConfig.ts";
import { toBytes } from "../model/hexBytes.ts";
import { positionOf, type TradeRow } from "../model/rows.ts";
import { query } from "./indexQuery.ts";
import type { Dialect, IndexReader } from "./indexReader.ts";
import { tradeCounts } from "./listCounts.ts";
import { type ListOptions, type ListResult, readList } from "./listQuery.ts";
import type { ListTotals } from "./listTotals.ts";
import { tradeRow } from "./tableRows.ts";
import type { ChainTables } from "./tables.ts";

const ofTrades = expressionBuilder<ChainTables, "trades">();
const ofLogs = expressionBuilder<ChainTables, "logs">();

/** Topics of `NewERC721Pair(address,uint256[])` and `NewERC1155Pair(address,uint256)` of the factory of Sudoswap v2. */
const PAIR_TOPICS = [
  "0xe8e1cee58c33f242c87d563bbc00f2ac82eb90f10a252b0ba8498ae6c1dc241a",
  "0x2966b6b401975e778520aec46cbefbe73799119a5670feda3e8f884c7c3ffb11",
].map(toBytes);
/** Topic of `NewPair(address)` of the factory of Sudoswap v1, which has the pair in its data. */
const V1_PAIR_TOPIC = toBytes("0xf5bdc103c3e68a20d5f97d2d46792d3fdddfa4efeb6761f8141e6a7b936ca66c");

/** Queries the sales of NFTs. Any contract can report a sale, so each query names the trusted marketplaces. */
export class TradeStore {
  readonly #reader: IndexReader;
  readonly #totals: ListTotals;

  constructor(reader: IndexReader, totals: ListTotals) {
    this.#reader = reader;
    this.#totals = totals;
  }

  /** The sales of a collection, or of one of its tokens. */
  async list(
    token: string,
    marketplaces: readonly Marketplace[],
    window: ListOptions,
    tokenId?: bigint,
  ): Promise<ListResult<TradeRow>> {
    const ofCollection = marketplaces.map((marketplace) =>
      isSaleOf(this.#reader.dialect, token, [marketplace]),
    );
    const branches =
      tokenId === undefined
        ? ofCollection
        : ofCollection.map((each) => ofTrades.and([each, hasToken(tokenId)]));
    if (branches.length === 0) return { rows: [], total: 0 };
    const { rows, total } = await readList(
      this.#reader,
      this.#totals,
      "trades",
      branches,
      window,
      // The pairs of Sudoswap's factory are separate lists.
      tokenId !== undefined || marketplaces.some(({ name }) => name === "sudoswap")
        ? undefined
        : tradeCounts(
            token,
            marketplaces.map(({ address }) => address),
          ),
    );
    return { rows: rows.map(tradeRow), total };
  }

  /** The lowest sale price paid in the native coin since a block; the latest of several. */
  async lowest(
    token: string,
    marketplaces: readonly Marketplace[],
    fromBlock: number,
  ): Promise<TradeRow | undefined> {
    if (marketplaces.length === 0) return undefined;
    const { dialect } = this.#reader;
    const isSale = isSaleOf(dialect, token, marketplaces);
    const [row] = await this.#reader.all(
      query
        .selectFrom(dialect.ordered("trades", isSale).as("trades"))
        .selectAll()
        .where(isSale)
        .where("position", ">=", positionOf(fromBlock, 0))
        .where("price_token", "is", null)
        .where(dialect.deadlineCheck)
        .orderBy("price")
        .orderBy("position", "desc")
        .limit(1),
      "list",
    );
    return row && tradeRow(row);
  }
}

/** Condition for the sales of a collection that one of the marketplaces reported. */
export function isSaleOf(
  dialect: Dialect,
  token: string,
  marketplaces: readonly Marketplace[],
): Expression<SqlBool> {
  const isFromAny = ofTrades.or(marketplaces.map((marketplace) => isFrom(dialect, marketplace)));
  return ofTrades("token", "=", toBytes(token)).and(isFromAny);
}

/** The ids of a sale are decimal, separated by commas. */
function hasToken(tokenId: bigint): Expression<SqlBool> {
  return sql`(',' || token_ids || ',') LIKE ${`%,${tokenId},%`}`;
}

/** Condition for sales that a marketplace reported: itself, or a pair that its factory created. */
function isFrom(dialect: Dialect, { name, address }: Marketplace): Expression<SqlBool> {
  const contract = toBytes(address);
  if (name !== "sudoswap") return ofTrades("marketplace", "=", contract);
  const isOfFactory = ofLogs("address", "=", contract).and("erc20", "=", ofLogs.lit(0));
  const pairs = logsOf(dialect, isOfFactory.and("topic0", "in", PAIR_TOPICS));
  const v1Pairs = logsOf(dialect, isOfFactory.and("topic0", "=", V1_PAIR_TOPIC));
  return sql`marketplace IN (SELECT substr(topic1, 13, 20) FROM ${pairs}
    UNION ALL SELECT substr(data, 13, 20) FROM ${v1Pairs})`;
}

/** The logs with a condition, which a columnar database finds by their positions. */
function logsOf(dialect: Dialect, condition: Expression<SqlBool>): Expression<unknown> {
  return dialect.isColumnar
    ? sql`logs WHERE position IN (SELECT position FROM ${dialect.ordered("logs", condition)} WHERE ${condition})`
    : sql`logs WHERE ${condition}`;
}
