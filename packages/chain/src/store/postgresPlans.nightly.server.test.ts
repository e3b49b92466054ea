import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fillIndex, transferLog, word } from "../../test/fillIndex.ts";
import { createDatabase } from "../../test/indexDatabase.ts";
import { indexLocationOf } from "../createChainService.ts";
import { NULL_ADDRESS, positionOf } from "../model/rows.ts";
import { ChainStore } from "./chainStore.ts";
import { compileQuery, type IndexQuery, type SqlValue } from "./indexQuery.ts";
import { POSTGRES } from "./indexReader.ts";
import type { IndexPosition } from "./listQuery.ts";
import { openReader } from "./openReader.ts";

/*
 * Plans of PostgreSQL for any values of the parameters, with the statistics of an index in which every NFT was minted
 * and has never moved: any condition for a sender seems to match every row.
 */

const CHAIN = 1;
const PER_BLOCK = 100;
const BLOCKS = 40;
const WALLET = `0x${"a1".repeat(20)}`;
const COLLECTION = `0x${"e2".repeat(20)}`;
const TOKEN = `0x${"e1".repeat(20)}`;
const MARKET = { name: "opensea", address: `0x${"e4".repeat(20)}` } as const;
/** Of a list that is longer than the page. */
const PAGE = { offset: 0, limit: 200 };

describe.each([
  ["one table of each kind", {}, 2],
  // A block is a quarter of a partition.
  ["ten partitions", { partitionBlocks: BLOCKS / 10 }, 5],
])("of an index with %s", (_, layout, filteredBranches) => {
  const statements: { text: string; parameters: readonly SqlValue[] }[] = [];
  let client: pg.Client;
  let store: ChainStore;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    const database = await createDatabase("PostgreSQL");
    ({ remove } = database);
    if (database.location.kind !== "postgres") throw new Error("not PostgreSQL");
    const filled = { ...database.location, ...layout };
    await fillIndex(filled, CHAIN, {
      blocks: BLOCKS,
      tokens: [{ address: COLLECTION, standard: 721, position: 0 }],
      addContents({ logs, nftTransfers, trades }, block) {
        for (let i = 0; i < PER_BLOCK; i++) {
          nftTransfers.push({
            position: positionOf(block, i),
            part: 0,
            transactionIndex: i,
            transactionHash: word(block * PER_BLOCK + i, "b"),
            token: COLLECTION,
            tokenId: word(block * PER_BLOCK + i),
            standard: 721,
            isBatch: false,
            operator: null,
            from: NULL_ADDRESS,
            to: WALLET,
            amount: "1",
          });
          const party = (digit: string) => `0x${(block * PER_BLOCK + i).toString(16).padStart(40, digit)}`;
          const log = transferLog(block, i, { token: TOKEN, from: party("5"), to: party("6") });
          logs.push({ ...log, isErc20: i % 2 === 0 });
          trades.push({
            position: log.position,
            transactionIndex: i,
            transactionHash: log.transactionHash,
            token: COLLECTION,
            marketplace: MARKET.address,
            seller: WALLET,
            buyer: WALLET,
            price: word(1),
            priceToken: null,
            tokenIds: [String(i)],
          });
        }
      },
    });
    const location = indexLocationOf(filled, CHAIN);
    if (location.kind !== "postgres") throw new Error("not PostgreSQL");
    client = new pg.Client(location.url);
    await client.connect();
    await client.query("VACUUM ANALYZE");
    await client.query(`SET search_path TO ${pg.escapeIdentifier(location.schema)}`);
    await client.query("SET plan_cache_mode = force_generic_plan");
    const reader = await openReader(location, 1);
    store = new ChainStore({
      dialect: POSTGRES,
      async all<Row>(query: IndexQuery<Row>) {
        statements.push(compileQuery(POSTGRES.compiler, query));
        return reader.all(query);
      },
      change: (change) => reader.change(change),
      close: () => reader.close(),
    });
  });
  afterAll(async () => {
    await store?.close();
    await client?.end();
    await remove?.();
  });

  function literal(value: SqlValue): string {
    if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString("hex")}'`;
    return typeof value === "string" ? pg.escapeLiteral(value) : String(value);
  }

  /** The plans of the statements that a read executes. */
  async function plansOf(read: () => Promise<unknown>): Promise<string[]> {
    statements.length = 0;
    await read();
    const plans: string[] = [];
    for (const { text, parameters } of statements) {
      await client.query(`PREPARE explained AS ${text}`);
      const { rows } = await client.query<{ "QUERY PLAN": string }>(
        `EXPLAIN (ANALYZE, TIMING OFF) EXECUTE explained (${parameters.map(literal).join()})`,
      );
      await client.query("DEALLOCATE explained");
      plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
    }
    return plans;
  }

  it.each([undefined, positionOf(BLOCKS / 2, 5)])(
    "PostgreSQL reads a page of a wallet's history after %s without reading the rows of others",
    async (after) => {
      const window = { after, ascending: false, limit: 50 };
      const plans = await plansOf(async () => {
        expect((await store.walletHistory.read(WALLET, window)).positions).toHaveLength(50);
      });
      expect(plans).toHaveLength(4);
      const removed = plans
        .flatMap((plan) => [...plan.matchAll(/Rows Removed by Filter: (\d+)/g)])
        .reduce((sum, [, rows]) => sum + Number(rows), 0);
      // Those of the block of the cursor, in each branch.
      expect(removed).toBeLessThanOrEqual(filteredBranches * PER_BLOCK);
    },
  );

  it.each([
    ["the sales", (positions: readonly number[]) => store.walletHistory.tradesIn(positions, [COLLECTION])],
    [
      "the swaps",
      (positions: readonly number[]) => store.walletHistory.transactionsWithLog(positions, [word(1)]),
    ],
    [
      "the metadata",
      (positions: readonly number[]) =>
        store.metadata.get(positions.map((_, i) => ({ token: COLLECTION, tokenId: word(i) }))),
    ],
  ] as const)("PostgreSQL reads %s of 100 transactions without a scan for each", async (_, read) => {
    const plans = await plansOf(() => read(Array.from({ length: 100 }, (_, i) => positionOf(i % BLOCKS, i))));
    expect(plans).toHaveLength(1);
    expect(plans[0]).not.toMatch(/BitmapOr|Gather/);
  });

  it.each([
    [
      "the logs of a contract",
      (after: IndexPosition | undefined) => store.logs(TOKEN, [], { ...PAGE, after }),
    ],
    [
      "the transfers of a token",
      (after: IndexPosition | undefined) => store.erc20Transfers({ token: TOKEN }, { ...PAGE, after }),
    ],
    [
      "the transfers of a collection",
      (after: IndexPosition | undefined) => store.nftTransfers({ token: COLLECTION }, { ...PAGE, after }),
    ],
    [
      "all transfers of NFTs",
      (after: IndexPosition | undefined) => store.nftTransfers({}, { ...PAGE, after }),
    ],
    [
      "the sales of a collection",
      (after: IndexPosition | undefined) => store.trades.list(COLLECTION, [MARKET], { ...PAGE, after }),
    ],
  ])("PostgreSQL reads a page of %s without reading a whole table", async (_, read) => {
    for (const after of [undefined, { position: positionOf(BLOCKS / 2, 5), part: 0 }]) {
      const plans = await plansOf(async () => {
        expect((await read(after)).rows).toHaveLength(PAGE.limit);
      });
      expect(plans.join()).not.toMatch(/Hash Join|Merge Join|Seq Scan[^\n]*actual rows=[1-9]/);
      const rows = plans.flatMap((plan) => [
        ...plan.matchAll(/(?:Index|Only|Heap) Scan[^\n]*actual rows=(\d+)\S* loops=(\d+)/g),
      ]);
      const scanned = rows.reduce((sum, [, count, loops]) => sum + Number(count) * Number(loops), 0);
      // The positions of the page, and a row for each.
      expect(scanned).toBeLessThanOrEqual(2 * PAGE.limit);
    }
  });
});
