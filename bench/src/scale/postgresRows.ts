/* Generates the simulated chain within PostgreSQL, one partition at a time. */
import postgres from "postgres";
import { toHex } from "../../../packages/chain/src/model/hexBytes.ts";
import { POSITIONS_PER_BLOCK } from "../../../packages/chain/src/model/rows.ts";
import { listCountChange } from "../../../packages/chain/src/store/listCounts.ts";
import { partitionBounds } from "../../../packages/chain/src/store/postgresPartitions.ts";
import { requireSpace } from "./diskSpace.ts";
import {
  createShape,
  FIXED,
  GENESIS_TIME,
  ITEM_ID,
  LOG_INDEX,
  RARE_BLOCKS,
  SECONDS_PER_BLOCK,
  TRANSFERS,
} from "./scaleShape.ts";
import { balanceSelect, eventSelects, POSTGRES_ROWS as sql, tokenSelect } from "./scaleSql.ts";

/** Including the log of writes. */
const BYTES_PER_TRANSFER = 1_300;

export interface PostgresFilling {
  url: string;
  schema: string;
  blocks: number;
  partitionBlocks: number;
  onToken: (token: string, standard: number) => void;
}

/** Fills an empty index with whole partitions. */
export async function generateInPostgres({ url, schema, blocks, partitionBlocks, onToken }: PostgresFilling) {
  const client = postgres(url, { max: 1, onnotice: () => undefined, connection: { search_path: schema } });
  for (let number = 0; number < blocks / partitionBlocks; number++) {
    requireSpace(
      (blocks - number * partitionBlocks) * TRANSFERS * BYTES_PER_TRANSFER,
      "the rest of the index",
    );
    const startedAt = performance.now();
    await client.begin((tx) => addPartition(tx, number, partitionBlocks));
    const rate = (partitionBlocks * TRANSFERS) / ((performance.now() - startedAt) / 1_000);
    const done = (number + 1) * partitionBlocks * TRANSFERS;
    console.log(`postgres: ${done.toLocaleString("en")} transfers, ${rate.toFixed(0)}/s`);
  }
  await addState(client, blocks);
  await client.unsafe("VACUUM ANALYZE");
  const tokens = await client<{ address: Buffer; standard: string }[]>`SELECT address, standard FROM tokens`;
  for (const { address, standard } of tokens) onToken(toHex(address), Number(standard));
  await client.end();
}

/** As the index attaches a range: filled tables become partitions, which creates their indexes. */
async function addPartition(tx: postgres.TransactionSql, number: number, blocks: number): Promise<void> {
  const bounds = partitionBounds(number, blocks);
  for (const { table } of bounds)
    await tx.unsafe(`CREATE TABLE ${table}_p${number} (LIKE ${table} INCLUDING DEFAULTS)`);
  for (const { table, values, from } of eventSelects(sql, number * blocks, (number + 1) * blocks))
    await tx.unsafe(`INSERT INTO ${table}_p${number} SELECT ${values} FROM ${from}`);
  for (const { table, from, end } of bounds)
    await tx.unsafe(
      `ALTER TABLE ${table} ATTACH PARTITION ${table}_p${number} FOR VALUES FROM (${from}) TO (${end})`,
    );
  const [{ from, end } = { from: 0, end: 0 }] = bounds;
  await tx.unsafe(listCountChange({ from: String(from), end: String(end), sign: "1" }, "''::bytea", blocks));
}

/** Blocks, tokens, balances and owners. */
async function addState(client: postgres.Sql, blocks: number): Promise<void> {
  const shape = createShape(sql);
  const eachBlock = sql.numbers(0, blocks);
  const position = (block: string, index: number) => `${block} * ${POSITIONS_PER_BLOCK} + ${index}`;
  const wallet = (n: string) => sql.address("wallet", n);
  const collection = sql.address("collection", shape.collection("n"));
  const [items, itemId] = [sql.bytes(FIXED.items), sql.word(String(ITEM_ID))];
  const statements = [
    `INSERT INTO blocks SELECT n, ${sql.hash("block", "n")}, ${sql.hash("block", "(n - 1)")},
      ${GENESIS_TIME} + n * ${SECONDS_PER_BLOCK} FROM ${eachBlock}`,
    `INSERT INTO tokens (address, standard, position, known)
      SELECT ${sql.address("token", "token")}, 20, ${position("(first / 200)", 0)} + first % 200, 0
      FROM (${tokenSelect(sql, blocks)}) AS firsts`,
    `INSERT INTO tokens (address, standard, position, known)
      SELECT ${collection}, 721, min(${position("n", LOG_INDEX.nft)}), 0 FROM ${eachBlock} GROUP BY 1`,
    `INSERT INTO tokens (address, standard, position, known) VALUES (${items}, 1155, ${LOG_INDEX.item}, 0)`,
    `INSERT INTO nft_metadata (token, token_id, standard, position)
      SELECT ${collection}, ${sql.word("n")}, 721, ${position("n", LOG_INDEX.nft)} FROM ${eachBlock} ORDER BY n`,
    `INSERT INTO nft_metadata (token, token_id, standard, position) VALUES (${items}, ${itemId}, 1155, ${LOG_INDEX.item})`,
    `INSERT INTO nft_balances SELECT ${collection}, ${sql.word("n")}, ${wallet(shape.collector("n"))}, 721, 1, 1 FROM ${eachBlock}`,
    `INSERT INTO nft_balances SELECT ${items}, ${itemId}, ${wallet(shape.itemReceiver("n"))}, 1155, count(*) * 3, 1
      FROM ${eachBlock} WHERE n % ${RARE_BLOCKS} = 0 GROUP BY 3`,
    `INSERT INTO erc20_balances SELECT ${sql.address("token", "token")}, ${wallet("owner")}, ${ordered("balance")},
      CASE WHEN balance > 0 THEN 1 ELSE 0 END
      FROM (SELECT token, owner, balance::int8 AS balance FROM (${balanceSelect(sql, blocks)}) AS sums OFFSET 0) AS balances
      ORDER BY 1, 2`,
    `INSERT INTO erc20_totals SELECT token, sum(held), '\\x80' FROM erc20_balances GROUP BY token HAVING sum(held) > 0`,
  ];
  for (const statement of statements) await client.unsafe(statement);
}

/** A number as `encodeOrdered` encodes it. */
function ordered(n: string): string {
  const length = `((length(to_hex(abs(${n}))) + 1) / 2)`;
  const sign = (operator: string) => `lpad(to_hex(128 ${operator} ${length}), 2, '0')`;
  const inverted = `((1::int8 << (8 * ${length})) - 1 + ${n})`;
  const digits = (value: string) => `lpad(to_hex(${value}), 2 * ${length}, '0')`;
  return `decode(CASE WHEN ${n} > 0 THEN ${sign("+")} || ${digits(n)} ELSE ${sign("-")} || ${digits(inverted)} END, 'hex')`;
}

/** Sizes of tables with their indexes and partitions. */
export async function postgresSizes(url: string, schema: string): Promise<Map<string, number>> {
  const client = postgres(url, { max: 1 });
  const rows = await client<{ name: string; bytes: number }[]>`
    SELECT regexp_replace(relname, '_p[0-9]+$', '') AS name, sum(pg_total_relation_size(oid))::float8 AS bytes
    FROM pg_class WHERE relnamespace = ${schema}::regnamespace AND relkind = 'r' GROUP BY 1`;
  await client.end();
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}
