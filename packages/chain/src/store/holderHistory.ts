import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { NULL_ADDRESS, positionOf } from "../model/rows.ts";
import { DEPOSIT_TOPIC, transferParties, WITHDRAWAL_TOPIC } from "../model/topics.ts";
import { type HolderChanges, TRANSFER_BYTES } from "./countHolders.ts";
import { IndexReadError } from "./indexErrors.ts";
import { query } from "./indexQuery.ts";
import type { IndexReader } from "./indexReader.ts";
import { selectColumnarRows } from "./listQuery.ts";
import { encodeOrdered } from "./orderedInteger.ts";
import { padValues } from "./padValues.ts";
import type { ChainTables } from "./tables.ts";
import { erc20TokenCondition } from "./transferConditions.ts";

const MAX_TRANSFERS = 200_000;
/** Transfers per read, as one text, and as rows. */
const TEXT_BATCH_SIZE = 50_000;
const ROW_BATCH_SIZE = 5_000;
const OWNER_BATCH_SIZE = 4_096;
const MAX_TRIES = 5;

const ofLogs = expressionBuilder<ChainTables, "logs">();
const ofBalances = expressionBuilder<ChainTables, "erc20_balances">();

/**
 * Reads what is needed to count the holders of an ERC-20 token at the end of blocks, which are in descending order;
 * `events` reads the transfers. Rejects with IndexReadError if there are more than 200,000 since the last of the blocks.
 */
export async function readHolderChanges(
  reader: IndexReader,
  events: IndexReader,
  token: string,
  blocks: readonly number[],
): Promise<HolderChanges> {
  const starts = blocks.map((block) => positionOf(block + 1, 0));
  const since = starts.at(-1) ?? 0;
  await assertCountable(events, token, since);
  const read = events.dialect.isColumnar ? readRows : readTexts;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const changes = await read(reader, events, token, since);
    if (changes) return { ...changes, starts };
  }
  throw new IndexReadError("timeout", "the index changes too fast");
}

type Changes = Omit<HolderChanges, "starts">;

/** Counts before anything is read: an index has all columns of the condition. */
async function assertCountable(events: IndexReader, token: string, since: number): Promise<void> {
  const { dialect } = events;
  const condition = transfersWithin(events, token, since);
  const [row] = await events.all(
    sql<{ n: number }>`SELECT count(*) AS n FROM (SELECT 1 AS one FROM ${dialect.ordered("logs", condition)}
      WHERE ${condition} LIMIT ${sql.lit(MAX_TRANSFERS + 1)}) AS counted`,
    "list",
  );
  if ((row?.n ?? 0) > MAX_TRANSFERS)
    throw new IndexReadError("timeout", `the range has more than ${MAX_TRANSFERS} transfers`);
}

/** Transfers of a token within positions, `end` excluded. */
function transfersWithin({ dialect }: IndexReader, token: string, since: number, end?: number) {
  return ofLogs.and([
    erc20TokenCondition(token),
    ofLogs("position", ">=", since),
    ...(end === undefined ? [] : [ofLogs("position", "<", end)]),
    dialect.deadlineCheck,
  ]);
}

interface Newest {
  number: number;
  hash: string;
}

async function newestBlock(reader: IndexReader): Promise<Newest | undefined> {
  const blocks = query.selectFrom("blocks").select(["number", "hash"]).orderBy("number", "desc").limit(1);
  const [newest] = await reader.all(blocks);
  return newest && { number: newest.number, hash: toHex(newest.hash) };
}

/**
 * Reads rows as one text, which the database concatenates. The state of the balances is that of a block; undefined if it
 * was removed meanwhile.
 */
async function readTexts(
  reader: IndexReader,
  events: IndexReader,
  token: string,
  since: number,
): Promise<Changes | undefined> {
  const state = await readBalances(events, token, since);
  if (!state) return { holders: 0, balances: "", transfers: [] };
  const transfers: string[] = [];
  let end = positionOf(state.newest.number + 1, 0);
  for (;;) {
    const text = await readTransferText(events, token, since, end);
    if (text === "") break;
    transfers.push(text);
    if (text.length < TEXT_BATCH_SIZE * TRANSFER_BYTES * 2) break;
    end = Number.parseInt(text.slice(-TRANSFER_BYTES * 2, -TRANSFER_BYTES * 2 + 16), 16);
  }
  const [block] = await reader.all(
    query.selectFrom("blocks").select("hash").where("number", "=", state.newest.number),
  );
  const isSame = block !== undefined && toHex(block.hash) === state.newest.hash;
  return isSame ? { holders: state.holders, balances: state.balances, transfers } : undefined;
}

/** In one statement, so that all of it is of one state of the index; undefined without blocks. */
async function readBalances(
  events: IndexReader,
  token: string,
  since: number,
): Promise<{ newest: Newest; holders: number; balances: string } | undefined> {
  const { hex, joined } = events.dialect;
  const condition = transfersWithin(events, token, since);
  const contract = toBytes(token);
  const [row] = await events.all(
    sql<{ number: number; hash: Uint8Array; holders: number; balances: string | null }>`
      SELECT newest.number, newest.hash,
        coalesce((SELECT holders FROM erc20_totals WHERE token = ${contract}), 0) AS holders,
        (SELECT ${joined(sql`${hex(sql`party.owner`)} || coalesce((SELECT ${hex(sql`amount`)} FROM erc20_balances
            WHERE token = ${contract} AND owner = party.owner), ${sql.lit(NO_AMOUNT)})`)}
          FROM (SELECT ${ADDRESS_OF_TOPIC1} AS owner FROM logs WHERE ${condition}
            UNION SELECT ${ADDRESS_OF_TOPIC2} FROM logs WHERE ${condition} AND topic2 IS NOT NULL) AS party) AS balances
      FROM (SELECT number, hash FROM blocks ORDER BY number DESC LIMIT 1) AS newest`,
    "list",
  );
  if (!row) return undefined;
  const newest = { number: row.number, hash: toHex(row.hash) };
  return { newest, holders: row.holders, balances: row.balances ?? "" };
}

const ADDRESS_OF_TOPIC1 = sql`substr(topic1, 13)`;
const ADDRESS_OF_TOPIC2 = sql`substr(topic2, 13)`;
const NO_AMOUNT = encodeOrdered(0n).toString("hex");

/** The next transfers in descending order, in the records of HolderChanges. */
async function readTransferText(
  events: IndexReader,
  token: string,
  since: number,
  end: number,
): Promise<string> {
  const { dialect } = events;
  const { hex, hexPosition, joined, literal } = dialect;
  const none = literal(NULL_ADDRESS);
  const [isDeposit, isWithdrawal] = [DEPOSIT_TOPIC, WITHDRAWAL_TOPIC].map(
    (topic) => sql`topic0 = ${literal(topic)}`,
  );
  const sender = sql`CASE WHEN ${isDeposit} THEN ${none} ELSE ${ADDRESS_OF_TOPIC1} END`;
  const receiver = sql`CASE WHEN ${isDeposit} THEN ${ADDRESS_OF_TOPIC1}
    WHEN ${isWithdrawal} THEN ${none} ELSE ${ADDRESS_OF_TOPIC2} END`;
  const record = sql`${hexPosition(sql`position`)} || ${hex(sender)} || ${hex(receiver)} || ${hex(sql`data`)}`;
  const [row] = await events.all(
    sql<{ records: string | null }>`SELECT ${joined(record, sql`position DESC`)} AS records FROM (
      SELECT position, topic0, topic1, topic2, data FROM logs WHERE ${transfersWithin(events, token, since, end)}
      ORDER BY position DESC LIMIT ${sql.lit(TEXT_BATCH_SIZE)}) AS page`,
    "list",
  );
  return row?.records ?? "";
}

type TransferColumns = Pick<ChainTables["logs"], "position" | "topic0" | "topic1" | "topic2" | "data">;

/** The same for a columnar database, which contains no balances; undefined if the index has changed meanwhile. */
async function readRows(
  reader: IndexReader,
  events: IndexReader,
  token: string,
  since: number,
): Promise<Changes | undefined> {
  const before = await newestBlock(reader);
  const totals = query.selectFrom("erc20_totals").select("holders").where("token", "=", toBytes(token));
  const [total] = await reader.all(totals);
  const transfers: string[] = [];
  const owners = new Set<string>();
  let end = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const page = selectColumnarRows<TransferColumns>(
      ...[events.dialect, "logs" as const, [transfersWithin(events, token, since, end)]],
      { limit: ROW_BATCH_SIZE },
      sql`position, topic0, topic1, topic2, data`,
    );
    const rows = await events.all(page, "list");
    const records = rows.map(({ position, topic0, topic1, topic2, data }) => {
      const topics = [topic0, topic1, topic2].flatMap((topic) => (topic ? [toHex(topic)] : []));
      const { from, to } = transferParties(topics);
      owners.add(from).add(to);
      const parts = [
        position.toString(16).padStart(16, "0"),
        ...[from, to, toHex(data)].map((part) => part.slice(2)),
      ];
      return parts.join("");
    });
    transfers.push(records.join(""));
    end = rows.at(-1)?.position ?? end;
    if (rows.length < ROW_BATCH_SIZE) break;
  }
  const balances = await balancesOf(reader, token, [...owners]);
  const after = await newestBlock(reader);
  return after?.hash === before?.hash ? { holders: total?.holders ?? 0, balances, transfers } : undefined;
}

async function balancesOf(reader: IndexReader, token: string, owners: readonly string[]): Promise<string> {
  const texts: string[] = [];
  for (let at = 0; at < owners.length; at += OWNER_BATCH_SIZE) {
    const batch = owners.slice(at, at + OWNER_BATCH_SIZE).map(toBytes);
    const condition: Expression<SqlBool> = ofBalances("token", "=", toBytes(token)).and(
      "owner",
      "in",
      padValues(batch),
    );
    const rows = await reader.all(
      query.selectFrom("erc20_balances").select(["owner", "amount"]).where(condition),
    );
    for (const { owner, amount } of rows) texts.push(toHex(owner).slice(2), toHex(amount).slice(2));
  }
  return texts.join("");
}
