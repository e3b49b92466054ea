import { type Expression, type SqlBool, sql } from "kysely";
import type { Marketplace } from "../model/chainConfig.ts";
import { toBytes } from "../model/hexBytes.ts";
import { positionOf, type TradeRow } from "../model/rows.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { tradeCounts } from "./listCounts.ts";
import { type ListOptions, type ListResult, readList } from "./listQuery.ts";
import type { ListTotals } from "./listTotals.ts";
import { tradeRow } from "./tableRows.ts";

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

  /** The sales of a collection. */
  async list(
    token: string,
    marketplaces: readonly Marketplace[],
    window: ListOptions,
  ): Promise<ListResult<TradeRow>> {
    const branches = marketplaces.map(
      (marketplace) => sql<SqlBool>`token = ${toBytes(token)} AND ${isFrom(marketplace)}`,
    );
    if (branches.length === 0) return { rows: [], total: 0 };
    const { rows, total } = await readList(
      this.#reader,
      this.#totals,
      "trades",
      branches,
      window,
      // The pairs of Sudoswap's factory are separate lists.
      marketplaces.some(({ name }) => name === "sudoswap")
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
    const [row] = await this.#reader.all(
      query
        .selectFrom("trades")
        .selectAll()
        .where("token", "=", toBytes(token))
        .where(isFromAny(marketplaces))
        .where("position", ">=", positionOf(fromBlock, 0))
        .where("price_token", "is", null)
        .where(this.#reader.dialect.deadlineCheck)
        .orderBy("price")
        .orderBy("position", "desc")
        .limit(1),
      "list",
    );
    return row && tradeRow(row);
  }
}

/** Condition for sales that one of the marketplaces reported. */
export function isFromAny(marketplaces: readonly Marketplace[]): Expression<SqlBool> {
  if (marketplaces.length === 0) return sql`false`;
  return sql`(${sql.join(marketplaces.map(isFrom), sql` OR `)})`;
}

/** Condition for sales that a marketplace reported: itself, or a pair that its factory created. */
function isFrom({ name, address }: Marketplace): Expression<SqlBool> {
  const contract = toBytes(address);
  if (name !== "sudoswap") return sql`marketplace = ${contract}`;
  return sql`marketplace IN (SELECT substr(topic1, 13, 20) FROM logs
    WHERE address = ${contract} AND topic0 IN (${sql.join(PAIR_TOPICS)}) AND erc20 = 0
    UNION ALL SELECT substr(data, 13, 20) FROM logs
    WHERE address = ${contract} AND topic0 = ${V1_PAIR_TOPIC} AND erc20 = 0)`;
}
