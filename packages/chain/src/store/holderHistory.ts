import { expressionBuilder, sql } from "kysely";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { NULL_ADDRESS, positionOf } from "../model/rows.ts";
import { transferParties } from "../model/topics.ts";
import { IndexReadError } from "./indexErrors.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { selectColumnarRows } from "./listQuery.ts";
import { decodeOrdered } from "./orderedInteger.ts";
import { padValues } from "./padValues.ts";
import type { ChainTables } from "./tables.ts";
import { erc20TokenCondition } from "./transferConditions.ts";

/** Transfers per read and in total, and owners per read. */
const TRANSFER_BATCH_SIZE = 50_000;
const MAX_TRANSFERS = 200_000;
const OWNER_BATCH_SIZE = 4_096;
const MAX_TRIES = 5;

const ofLogs = expressionBuilder<ChainTables, "logs">();

/**
 * Returns the number of holders of an ERC-20 token at the end of each block, which are in descending order: the current
 * balances minus the transfers since then, which `events` reads. Rejects with IndexReadError if these are more than 200,000.
 */
export async function readHolderHistory(
  reader: IndexReader,
  events: IndexReader,
  token: string,
  blocks: readonly number[],
): Promise<number[]> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const before = await newestBlock(reader);
    const counts = await countBackwards(reader, events, token, blocks);
    // Blocks that were indexed in between would be in some of the reads only.
    if ((await newestBlock(reader)) === before) return counts;
  }
  throw new IndexReadError("timeout", "the index changes too fast");
}

async function newestBlock(reader: IndexReader): Promise<string> {
  const blocks = query.selectFrom("blocks").select("hash").orderBy("number", "desc").limit(1);
  const [newest] = await reader.all(blocks);
  return newest ? toHex(newest.hash) : "";
}

async function countBackwards(
  reader: IndexReader,
  events: IndexReader,
  token: string,
  blocks: readonly number[],
): Promise<number[]> {
  const [totals] = await reader.all(
    query.selectFrom("erc20_totals").select("holders").where("token", "=", toBytes(token)),
  );
  let holders = totals?.holders ?? 0;
  const starts = blocks.map((block) => positionOf(block + 1, 0));
  const balances = new Map<string, bigint>();
  const counts: number[] = [];
  /** Reverts a change of a balance. */
  const revert = (owner: string, amount: bigint) => {
    if (owner === NULL_ADDRESS) return;
    const after = balances.get(owner) ?? 0n;
    const before = after - amount;
    holders += (before > 0n ? 1 : 0) - (after > 0n ? 1 : 0);
    balances.set(owner, before);
  };
  let read = 0;
  let end = Number.MAX_SAFE_INTEGER;
  for (;;) {
    // All intervals at once: each read has a cost of its own.
    const transfers = await readTransfers(events, token, starts.at(-1) ?? 0, end);
    read += transfers.length;
    if (read > MAX_TRANSFERS)
      throw new IndexReadError("timeout", `the range has more than ${MAX_TRANSFERS} transfers`);
    const owners = new Set(transfers.flatMap(({ from, to }) => [from, to]));
    const unknown = [...owners].filter((owner) => owner !== NULL_ADDRESS && !balances.has(owner));
    await loadBalances(reader, token, unknown, balances);
    for (const { position, from, to, amount } of transfers) {
      while (position < (starts[counts.length] ?? 0)) counts.push(holders);
      revert(from, -amount);
      revert(to, amount);
    }
    const last = transfers.at(-1);
    if (transfers.length < TRANSFER_BATCH_SIZE || !last) break;
    end = last.position;
  }
  return [...counts, ...blocks.slice(counts.length).map(() => holders)];
}

interface TransferChange {
  position: number;
  from: string;
  to: string;
  amount: bigint;
}

type TransferColumns = Pick<ChainTables["logs"], "position" | "topic0" | "topic1" | "topic2" | "data">;

/** Transfers of a token within positions, `end` excluded, in descending order. */
async function readTransfers(
  reader: IndexReader,
  token: string,
  start: number,
  end: number,
): Promise<TransferChange[]> {
  const { dialect } = reader;
  const condition = ofLogs.and([
    erc20TokenCondition(token),
    ofLogs("position", ">=", start),
    ofLogs("position", "<", end),
    dialect.deadlineCheck,
  ]);
  const columns = sql`position, topic0, topic1, topic2, data`;
  const limit = TRANSFER_BATCH_SIZE;
  const page = dialect.isColumnar
    ? selectColumnarRows<TransferColumns>(dialect, "logs", [condition], { limit }, columns)
    : sql<TransferColumns>`SELECT ${columns} FROM logs WHERE ${condition}
        ORDER BY position DESC LIMIT ${sql.lit(limit)}`;
  const rows = await reader.all(page, "list");
  return rows.map(({ position, topic0, topic1, topic2, data }) => {
    const topics = [topic0, topic1, topic2].flatMap((topic) => (topic ? [toHex(topic)] : []));
    return { position, ...transferParties(topics), amount: BigInt(toHex(data)) };
  });
}

/** Adds the current balances of owners. */
async function loadBalances(
  reader: IndexReader,
  token: string,
  owners: readonly string[],
  balances: Map<string, bigint>,
): Promise<void> {
  for (const owner of owners) balances.set(owner, 0n);
  for (let at = 0; at < owners.length; at += OWNER_BATCH_SIZE) {
    const batch = owners.slice(at, at + OWNER_BATCH_SIZE);
    const rows = await reader.all(
      query
        .selectFrom("erc20_balances")
        .select(["owner", "amount"])
        .where("token", "=", toBytes(token))
        .where("owner", "in", padValues(batch.map(toBytes))),
    );
    for (const { owner, amount } of rows) balances.set(toHex(owner), decodeOrdered(amount));
  }
}
