import { expressionBuilder } from "kysely";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { positionOf } from "../model/rows.ts";
import { erc20BalanceChanges } from "./erc20BalanceChanges.ts";
import { IndexReadError } from "./indexErrors.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { selectRows } from "./listQuery.ts";
import { decodeOrdered } from "./orderedInteger.ts";
import { padValues } from "./padValues.ts";
import { indexedLog } from "./tableRows.ts";
import type { ChainTables } from "./tables.ts";
import { erc20TokenCondition } from "./transferConditions.ts";

/** Transfers per read and in total, and owners per read. */
const TRANSFER_BATCH_SIZE = 20_000;
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
  let read = 0;
  let end = Number.MAX_SAFE_INTEGER;
  const balances = new Map<string, bigint>();
  const counts: number[] = [];
  for (const block of blocks) {
    const start = positionOf(block + 1, 0);
    for (;;) {
      const logs = await readTransfers(events, token, start, end);
      read += logs.length;
      if (read > MAX_TRANSFERS)
        throw new IndexReadError("timeout", `the range has more than ${MAX_TRANSFERS} transfers`);
      const changes = erc20BalanceChanges(logs, -1);
      const unknown = changes.flatMap(({ owner }) => (balances.has(owner) ? [] : [owner]));
      await loadBalances(reader, token, unknown, balances);
      for (const { owner, amount } of changes) {
        const after = balances.get(owner) ?? 0n;
        const before = after + amount;
        holders += (before > 0n ? 1 : 0) - (after > 0n ? 1 : 0);
        balances.set(owner, before);
      }
      const last = logs.at(-1);
      if (logs.length < TRANSFER_BATCH_SIZE || !last) break;
      end = last.position;
    }
    end = start;
    counts.push(holders);
  }
  return counts;
}

/** Transfers of a token within positions, `end` excluded, in descending order. */
async function readTransfers(reader: IndexReader, token: string, start: number, end: number) {
  const condition = ofLogs.and([
    erc20TokenCondition(token),
    ofLogs("position", ">=", start),
    ofLogs("position", "<", end),
    reader.dialect.deadlineCheck,
  ]);
  const rows = await reader.all(
    selectRows(reader.dialect, "logs", condition, { limit: TRANSFER_BATCH_SIZE }),
    "list",
  );
  return rows.map(indexedLog);
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
