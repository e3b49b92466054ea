/* The rows of the simulated chain as SQL, which the database computes by itself. */
import { USER_OPERATION_TOPIC } from "../../../packages/chain/src/decode/userOperations/userOperationLog.ts";
import { NULL_ADDRESS, POSITIONS_PER_BLOCK } from "../../../packages/chain/src/model/rows.ts";
import { APPROVAL_TOPIC, TRANSFER_TOPIC } from "../../../packages/chain/src/model/topics.ts";
import type { EventTable } from "../../../packages/chain/src/store/schema.ts";
import {
  APPROVALS,
  type Arithmetic,
  createShape,
  FIXED,
  INTERNAL_TRANSFERS,
  ITEM_ID,
  type Kind,
  LOG_INDEX,
  multiplierOf,
  NFT_TRANSFERS,
  OPERATION_INDEX,
  OPERATION_INPUT,
  RARE_BLOCKS,
  TRANSACTIONS,
  TRANSFERS,
} from "./scaleShape.ts";

/** How a database writes expressions. */
export interface RowSql extends Arithmetic<string> {
  /** 32 bytes of a kind and a number. */
  hash(kind: Kind, n: string): string;
  address(kind: Kind, n: string): string;
  /** Bytes from hex with 0x. */
  bytes(hex: string): string;
  /** A number as 32 bytes. */
  word(n: string): string;
  joined(...bytes: string[]): string;
  /** A number that can be negative. */
  signed(n: string): string;
  /** A table with the numbers `n` from `from` up to `to`, exclusive. */
  numbers(from: number, to: number): string;
  /** A subquery whose columns are computed once. */
  table(select: string): string;
}

const integer = (value: number) => String(value);

export const CLICKHOUSE_ROWS: RowSql = {
  constant: integer,
  plus: (a, b) => `(${a} + ${b})`,
  times: (a, b) => `(${a} * ${b})`,
  divided: (a, b) => `intDiv(${a}, ${b})`,
  modulo: (a, b) => `toUInt64(${a} % ${b})`,
  skewed(count, n, stream, power) {
    const fraction = `(bitAnd(toUInt64(${n}) * ${multiplierOf(stream)}, 4294967295) / 4294967296)`;
    return `toUInt64(${[`toFloat64(${count})`, ...Array.from({ length: power }, () => fraction)].join(" * ")})`;
  },
  ifEqual: (a, b, then, otherwise) => `if(${a} = ${b}, toUInt64(${then}), toUInt64(${otherwise}))`,
  hash: (kind, n) => `substring(SHA256(concat('${kind}', toString(${n}))), 1, 32)`,
  address: (kind, n) => `substring(SHA256(concat('${kind}', toString(${n}))), 1, 20)`,
  bytes: (hex) => `unhex('${hex.slice(2)}')`,
  word: (n) => `unhex(leftPad(hex(toUInt64(${n})), 64, '0'))`,
  joined: (...bytes) => `concat(${bytes.join(", ")})`,
  signed: (n) => `toInt64(${n})`,
  numbers: (from, to) => `(SELECT number AS n FROM numbers(${from}, ${to - from}))`,
  table: (select) => `(${select})`,
};

export const POSTGRES_ROWS: RowSql = {
  constant: (value) => `${value}::int8`,
  plus: (a, b) => `(${a} + ${b})`,
  times: (a, b) => `(${a} * ${b})`,
  divided: (a, b) => `(${a} / ${b})`,
  modulo: (a, b) => `(${a} % ${b})`,
  skewed(count, n, stream, power) {
    const fraction = `((${n} * ${multiplierOf(stream)}::int8 & 4294967295)::float8 / 4294967296)`;
    return `floor(${[`(${count})::float8`, ...Array.from({ length: power }, () => fraction)].join(" * ")})::int8`;
  },
  ifEqual: (a, b, then, otherwise) => `CASE WHEN ${a} = ${b} THEN ${then} ELSE ${otherwise} END`,
  hash: (kind, n) => `sha256(('${kind}' || ${n})::bytea)`,
  address: (kind, n) => `substr(sha256(('${kind}' || ${n})::bytea), 1, 20)`,
  bytes: (hex) => `'\\x${hex.slice(2)}'::bytea`,
  word: (n) => `decode(lpad(to_hex(${n}), 64, '0'), 'hex')`,
  joined: (...bytes) => `(${bytes.join(" || ")})`,
  signed: (n) => n,
  numbers: (from, to) => `generate_series(${from}::int8, ${to - 1}::int8) AS series (n)`,
  table: (select) => `(${select} OFFSET 0) AS computed`,
};

/** Rows that a table gets. */
export interface SelectedRows {
  table: EventTable;
  /** The values of its columns in their order. */
  values: string;
  from: string;
}

const position = (block: string, index: string) => `${block} * ${POSITIONS_PER_BLOCK} + ${index}`;
const EMPTY_TOPIC = `0x${"0".repeat(24)}`;
const ONES = `0x${"1".padStart(64, "0").repeat(3)}`;

/** The events of the blocks from `from` up to `to`, exclusive. */
export function eventSelects(sql: RowSql, from: number, to: number): SelectedRows[] {
  const shape = createShape(sql);
  const topic = (n: string) => sql.joined(sql.bytes(EMPTY_TOPIC), sql.address("wallet", n));
  const transaction = (block: string, index: string) =>
    sql.hash("transaction", `(${block} * ${TRANSACTIONS} + ${index})`);
  /** So many rows of each block, with their number among all of them. */
  const rows = (perBlock: number) =>
    sql.table(`SELECT n, ${sql.divided("n", String(perBlock))} AS block, ${sql.modulo("n", perBlock)} AS i
      FROM ${sql.numbers(from * perBlock, to * perBlock)}`);
  /** Some of the transactions of each block, with their number among all. */
  const someTransactions = (perBlock: number) =>
    sql.table(`SELECT block, i, block * ${TRANSACTIONS} + i AS n FROM ${rows(perBlock)}`);
  const rareBlocks = sql.table(
    `SELECT n AS block FROM ${sql.numbers(from, to)} WHERE n % ${RARE_BLOCKS} = 0`,
  );
  const fees = (at: string) => `${at}, 2, 30000000000, 1000000000, 20000000000, NULL`;
  const account = shape.account("block");
  const operationHash = sql.hash("operation", "block");
  return [
    {
      table: "transactions",
      values: `${position("block", "i")}, ${sql.hash("transaction", "n")}, ${sql.address("wallet", shape.sender("n"))},
        ${sql.address("token", shape.called("n"))}, 0, n % 1000, 65000, 20000000000 + n % 1000,
        ${sql.joined(sql.bytes("0xa9059cbb"), sql.hash("input", "n"))}, 1, 65000 * (i + 1), 52000, NULL, NULL`,
      from: rows(TRANSACTIONS),
    },
    { table: "transaction_fees", values: fees(position("block", "i")), from: rows(TRANSACTIONS) },
    {
      table: "transactions",
      values: `${position("block", String(OPERATION_INDEX))}, ${operationHash}, ${sql.bytes(FIXED.bundler)},
        ${sql.bytes(FIXED.entryPoint)}, 0, block, 300000, 20000000000,
        ${sql.joined(sql.bytes(OPERATION_INPUT.before), topic(account), sql.word("block"), sql.bytes(OPERATION_INPUT.after))},
        1, 3000000, 200000, NULL, NULL`,
      from: rareBlocks,
    },
    {
      table: "transaction_fees",
      values: fees(position("block", String(OPERATION_INDEX))),
      from: rareBlocks,
    },
    {
      table: "logs",
      values: `${position("block", "i")}, ${sql.divided("i", String(TRANSFERS / TRANSACTIONS))},
        ${transaction("block", sql.divided("i", String(TRANSFERS / TRANSACTIONS)))}, ${sql.address("token", "token")},
        ${sql.bytes(TRANSFER_TOPIC)}, ${topic("sender")}, ${topic("receiver")}, NULL, ${sql.word(shape.amount("n"))}, 1`,
      from: transfers(sql, from, to),
    },
    {
      table: "logs",
      values: `${position("block", `${LOG_INDEX.approval} + i`)}, i, ${sql.hash("transaction", "n")},
        ${sql.address("token", shape.called("n"))}, ${sql.bytes(APPROVAL_TOPIC)}, ${topic(shape.sender("n"))},
        ${sql.joined(sql.bytes(EMPTY_TOPIC), sql.bytes(FIXED.marketplace))}, NULL, ${sql.word("n")}, 0`,
      from: someTransactions(APPROVALS),
    },
    {
      table: "logs",
      values: `${position("block", String(LOG_INDEX.operation))}, ${OPERATION_INDEX}, ${operationHash},
        ${sql.bytes(FIXED.entryPoint)}, ${sql.bytes(USER_OPERATION_TOPIC)}, ${sql.hash("account", "block")},
        ${topic(account)}, ${sql.bytes(`0x${"0".repeat(64)}`)}, ${sql.joined(sql.word("block"), sql.bytes(ONES))}, 0`,
      from: rareBlocks,
    },
    {
      table: "nft_transfers",
      values: `${position("block", `${LOG_INDEX.nft} + i`)}, 0, i, ${transaction("block", "i")},
        ${sql.address("collection", shape.collection("block"))}, ${sql.word("block")}, 721, 0, NULL,
        CASE WHEN i = 0 THEN ${sql.bytes(NULL_ADDRESS)} ELSE ${sql.address("wallet", shape.minter("block"))} END,
        CASE WHEN i = 0 THEN ${sql.address("wallet", shape.minter("block"))}
          ELSE ${sql.address("wallet", shape.collector("block"))} END, 1`,
      from: rows(NFT_TRANSFERS),
    },
    {
      table: "nft_transfers",
      values: `${position("block", String(LOG_INDEX.item))}, 0, 2, ${transaction("block", "2")}, ${sql.bytes(FIXED.items)},
        ${sql.word(String(ITEM_ID))}, 1155, 0, ${sql.bytes(FIXED.bundler)}, ${sql.bytes(NULL_ADDRESS)},
        ${sql.address("wallet", shape.itemReceiver("block"))}, 3`,
      from: rareBlocks,
    },
    {
      table: "trades",
      values: `${position("block", String(LOG_INDEX.sale))}, 1, ${transaction("block", "1")},
        ${sql.address("collection", shape.collection("block"))}, ${sql.bytes(FIXED.marketplace)},
        ${sql.address("wallet", shape.minter("block"))}, ${sql.address("wallet", shape.collector("block"))},
        ${sql.word("(1000000 + block)")}, NULL, block`,
      from: rareBlocks,
    },
    {
      table: "internal_transfers",
      values: `${position("block", "i")}, 0, ${sql.address("token", shape.called("n"))},
        ${sql.address("wallet", shape.coinReceiver("n"))}, n, 0`,
      from: someTransactions(INTERNAL_TRANSFERS),
    },
  ];
}

/** The ERC-20 transfers of blocks with the numbers of token, sender and receiver. */
function transfers(sql: RowSql, from: number, to: number): string {
  const shape = createShape(sql);
  const withTokens =
    sql.table(`SELECT n, ${sql.divided("n", String(TRANSFERS))} AS block, ${sql.modulo("n", TRANSFERS)} AS i,
    ${shape.token("n")} AS token FROM ${sql.numbers(from * TRANSFERS, to * TRANSFERS)}`);
  return sql.table(`SELECT n, block, i, token, ${shape.from("n", "token")} AS sender, ${shape.to("n", "token")} AS receiver
    FROM ${withTokens}`);
}

/** The balances of ERC-20 tokens after the first blocks, by the numbers of `token` and `owner`; `share` of `shares`. */
export function balanceSelect(sql: RowSql, blocks: number, share = 0, shares = 1): string {
  const amount = createShape(sql).amount("n");
  const changes = (party: string, sign: number) =>
    `SELECT token, ${party} AS owner, ${sign} * ${sql.signed(amount)} AS change FROM ${transfers(sql, 0, blocks)}
      WHERE token % ${shares} = ${share}`;
  return `SELECT token, owner, sum(change) AS balance FROM (${changes("sender", -1)} UNION ALL ${changes("receiver", 1)}) AS changes
    GROUP BY token, owner HAVING sum(change) <> 0`;
}

/** The ERC-20 tokens of the first blocks with the number `n` of their first transfer. */
export function tokenSelect(sql: RowSql, blocks: number): string {
  return `SELECT token, min(n) AS first FROM ${transfers(sql, 0, blocks)} GROUP BY token`;
}
