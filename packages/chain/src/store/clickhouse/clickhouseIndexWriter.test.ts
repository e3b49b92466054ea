import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTempFolder } from "../../../test/indexDatabase.ts";
import { type BlockRow, type BlockRows, NULL_ADDRESS, positionOf } from "../../model/rows.ts";
import { addressTopic, TRANSFER_TOPIC } from "../../model/topics.ts";
import { ChainStore } from "../chainStore.ts";
import type { SqlValue } from "../indexQuery.ts";
import type { IndexReader } from "../indexReader.ts";
import { CheckpointConflictError, type IndexWriter } from "../indexWriter.ts";
import { openReader } from "../openReader.ts";
import { EVENT_TABLES, type EventTable } from "../schema.ts";
import { createSqliteWriter } from "../sqliteIndexWriter.ts";
import type { ClickHouse } from "./clickhouseConnection.ts";
import { CLICKHOUSE } from "./clickhouseDialect.ts";
import { ClickHouseIndexWriter } from "./clickhouseIndexWriter.ts";
import { EVENTS_FACT, type EventState, parseEventState, visibleRows } from "./eventState.ts";
import { EVENT_LAYOUTS, eventTableName, eventTableNames, tablesAndViews } from "./eventTables.ts";
import { UNUSED_TABLES_FACT } from "./unusedTables.ts";

const TOKEN = `0x${"ee".repeat(20)}`;
const [FIRST, SECOND] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`];

/** Stores inserted rows and deletes them, and executes nothing else. */
class RecordedClickHouse implements ClickHouse {
  readonly rows = new Map<string, Record<string, SqlValue>[]>();
  readonly statements: string[] = [];
  /** Fails the insert after this number of others. */
  failAfter = Number.POSITIVE_INFINITY;

  /** A table or view that does not exist. */
  missing: string | undefined;

  queries = 0;

  /** The names of the tables and views that were created. */
  async query() {
    await this.#runBefore();
    this.queries += 1;
    const created = this.statements.map((each) => /^CREATE [\w ]+ IF NOT EXISTS (\w+)/.exec(each)?.[1]);
    return created.flatMap((name) =>
      name === undefined || name === this.missing ? [] : [{ name: Buffer.from(name) }],
    );
  }

  async insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    check: () => Promise<void>,
  ) {
    this.waiting += 1;
    await this.frozen;
    await check();
    if (this.failAfter-- <= 0) throw new Error("ClickHouse cannot be reached");
    const stored = this.rows.get(table) ?? [];
    for (const values of rows)
      stored.push(Object.fromEntries(columns.map((name, i) => [name, values[i] ?? null])));
    this.rows.set(table, stored);
  }

  /** Until it resolves, no insert is sent. */
  frozen: Promise<void> | undefined;
  waiting = 0;

  /** Runs before the next statement. */
  beforeStatement: (() => Promise<void>) | undefined;

  /** Fails statements that begin with this. */
  failOn: string | undefined;

  async execute(statement: string) {
    await this.#runBefore();
    if (this.failOn !== undefined && statement.startsWith(this.failOn))
      throw new Error("ClickHouse cannot be reached");
    this.statements.push(statement);
    const [, table = "", condition = ""] = /^DELETE FROM (\w+) WHERE (.*)$/.exec(statement) ?? [];
    const isDeleted = conditionOf(condition || "false");
    const rows = this.rows.get(table)?.filter((row) => !isDeleted(row));
    if (rows) this.rows.set(table, rows);
  }

  async close() {}

  async #runBefore() {
    const before = this.beforeStatement;
    this.beforeStatement = undefined;
    await before?.();
  }
}

/** A condition in SQL for positions and forks. */
function conditionOf(text: string): (row: Record<string, SqlValue>) => boolean {
  const condition = text.replaceAll("AND", "&&").replaceAll("OR", "||");
  const evaluate = new Function("position", "fork", `return ${condition}`);
  return ({ position, fork }) => evaluate(position, fork);
}

let folder: string;
let reader: IndexReader;
let store: ChainStore;
let clickHouse: RecordedClickHouse;
let now: number;
let warnings: string[];
const writers: IndexWriter[] = [];

beforeEach(async () => {
  folder = await createTempFolder();
  clickHouse = new RecordedClickHouse();
  reader = await openReader({ kind: "sqlite", path: join(folder, "index.sqlite") });
  store = new ChainStore(reader);
  now = 1_000;
  warnings = [];
});
afterEach(async () => {
  for (const writer of writers.splice(0)) await writer.close();
  await reader.close();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the rows of events that the recorded rows contain in a state. */
async function visible(table: EventTable): Promise<Record<string, SqlValue>[]> {
  const state = await readState();
  if (!state) return [];
  const rows = clickHouse.rows.get(eventTableName(state.id, table)) ?? [];
  return rows.filter(conditionOf(visibleRows(state)));
}

async function readState(): Promise<EventState | undefined> {
  const text = (await store.properties()).get(EVENTS_FACT);
  return text === undefined ? undefined : parseEventState(text);
}

/** A writer as a process has it: reads of events return the visible rows that `unwind` needs. */
function openWriter(sqlWriter = createSqliteWriter(join(folder, "index.sqlite"))): IndexWriter {
  const events: IndexReader = {
    dialect: CLICKHOUSE,
    async all<Row>(source: unknown): Promise<Row[]> {
      void source;
      // The removed transfers of ERC-20 tokens; there are no NFTs in these tests.
      return [];
    },
    change: async () => 0,
    close: async () => undefined,
  };
  const writer = new ClickHouseIndexWriter({
    ...{ clickHouse, sqlWriter, events },
    log: { warn: (message) => warnings.push(message) },
    sqlReader: reader,
    now: async () => now++,
    processClock: () => now,
  });
  writers.push(writer);
  return writer;
}

function blockRows(
  number: number,
  parent: BlockRow | undefined,
  chain = "a",
): BlockRows & { last: BlockRow } {
  const last = {
    number,
    hash: `0x${chain}${String(number).padStart(63, "0")}`,
    parentHash: parent?.hash ?? `0x${"0".repeat(64)}`,
    timestamp: number,
  };
  const transactionHash = `0x${chain.repeat(64)}`;
  const logs = [0, 1].map((i) => ({
    position: positionOf(number, i),
    transactionIndex: 0,
    transactionHash,
    address: TOKEN,
    topics: [TRANSFER_TOPIC, addressTopic(NULL_ADDRESS), addressTopic(i === 0 ? FIRST : SECOND)],
    data: `0x${"1".padStart(64, "0")}`,
    isErc20: true,
  }));
  const nftTransfers = [
    {
      ...{ position: positionOf(number, 2), part: 0, transactionIndex: 0, transactionHash },
      ...{ token: TOKEN, tokenId: `0x${String(number).padStart(64, "0")}`, standard: 721 as const },
      ...{ isBatch: false, operator: null, from: NULL_ADDRESS, to: FIRST, amount: "1" },
    },
  ];
  return {
    ...{ blocks: [last], transactions: [], logs, nftTransfers, nftRanges: [], nftUpdates: [], trades: [] },
    last,
  };
}

/** Writes blocks up to number 40, each of which was reorganized; returns the last one. */
async function addReorganizedBlocks(writer: IndexWriter, first?: BlockRow): Promise<BlockRow | undefined> {
  let parent = first;
  for (let number = (first?.number ?? 0) + 1; number <= 40; number++) {
    const rows = blockRows(number, parent);
    await writer.append(parent, rows, []);
    await writer.unwind(number - 1);
    await writer.append(parent, rows, []);
    parent = rows.last;
  }
  return parent;
}

const positions = (rows: Record<string, SqlValue>[]) => rows.map(({ position }) => position);

describe("the writer of an index with its events in ClickHouse", () => {
  it("writes events there, and blocks and balances into the SQL database", async () => {
    const writer = openWriter();
    const rows = blockRows(1, undefined);
    await writer.append(undefined, rows, []);
    expect(positions(await visible("logs"))).toEqual([positionOf(1, 0), positionOf(1, 1)]);
    expect(positions(await visible("nft_transfers"))).toEqual([positionOf(1, 2)]);
    expect((await store.checkpoint())?.hash).toBe(rows.last.hash);
    expect(await store.erc20Balances.totalBalance(TOKEN, [FIRST, SECOND])).toBe(2n);
    const counted = await store.logs(TOKEN, [], { offset: 0, limit: 5, withTotal: true });
    expect(counted.rows, "the SQL database has no events").toEqual([]);
    const [log] = await visible("logs");
    expect(Object.keys(log ?? {})).toEqual([...Object.keys(EVENT_LAYOUTS.logs.columns), "fork"]);
  });

  it.each([0, 1])("leaves nothing visible if insert %i fails, and goes on", async (failing) => {
    const writer = openWriter();
    const first = blockRows(1, undefined);
    await writer.append(undefined, first, []);
    clickHouse.failAfter = failing;
    await expect(writer.append(first.last, blockRows(2, first.last, "b"), [])).rejects.toThrow("reached");
    expect(positions(await visible("logs"))).toEqual([positionOf(1, 0), positionOf(1, 1)]);
    clickHouse.failAfter = Number.POSITIVE_INFINITY;
    await writer.append(first.last, blockRows(2, first.last), []);
    expect(positions(await visible("logs"))).toEqual(
      [1, 2].flatMap((n) => [positionOf(n, 0), positionOf(n, 1)]),
    );
    expect(await store.erc20Balances.totalBalance(TOKEN, [FIRST, SECOND])).toBe(4n);
  });

  it("leaves nothing visible if the process ends before the SQL transaction", async () => {
    const writer = openWriter();
    const first = blockRows(1, undefined);
    await writer.append(undefined, first, []);
    // The SQL transaction fails, because another latest block is expected.
    const wrong = { ...first.last, hash: `0x${"f".repeat(64)}` };
    await expect(writer.append(wrong, blockRows(2, wrong, "b"), [])).rejects.toThrow(CheckpointConflictError);
    const next = openWriter();
    await next.append(first.last, blockRows(2, first.last), []);
    expect(positions(await visible("logs"))).toEqual(
      [1, 2].flatMap((n) => [positionOf(n, 0), positionOf(n, 1)]),
    );
  });

  it("rejects changes of a process that another one has replaced", async () => {
    const old = openWriter();
    const first = blockRows(1, undefined);
    await old.append(undefined, first, []);
    const second = blockRows(2, first.last);
    await openWriter().append(first.last, second, []);
    await expect(old.append(second.last, blockRows(3, second.last, "b"), [])).rejects.toThrow(
      CheckpointConflictError,
    );
    expect((await store.checkpoint())?.number).toBe(2);
    expect(positions(await visible("logs"))).toEqual(
      [1, 2].flatMap((n) => [positionOf(n, 0), positionOf(n, 1)]),
    );
  });

  it("writes no rows into a fork that another process has replaced, which a deletion could make visible", async () => {
    const old = openWriter();
    const first = blockRows(1, undefined);
    await old.append(undefined, first, []);
    await openWriter().append(first.last, blockRows(2, first.last), []);
    const { id = "" } = (await readState()) ?? {};
    const stored = () => clickHouse.rows.get(eventTableName(id, "logs"))?.length;
    expect(stored()).toBe(4);
    await expect(old.append(first.last, blockRows(2, first.last, "b"), [])).rejects.toThrow(
      CheckpointConflictError,
    );
    expect(stored()).toBe(4);
  });

  it("keeps the state that another process saves while this one begins a fork", async () => {
    const writer = openWriter();
    const first = blockRows(1, undefined);
    await writer.append(undefined, first, []);
    const late = openWriter();
    clickHouse.beforeStatement = () => writer.append(first.last, blockRows(2, first.last), []);
    await expect(late.append(first.last, blockRows(2, first.last, "b"), [])).rejects.toThrow(
      CheckpointConflictError,
    );
    expect(positions(await visible("logs"))).toEqual(
      [1, 2].flatMap((n) => [positionOf(n, 0), positionOf(n, 1)]),
    );
  });

  it("refuses to write an index of which a table, a copy or the view that fills it is missing", async () => {
    const first = blockRows(1, undefined);
    await openWriter().append(undefined, first, []);
    const { id = "" } = (await readState()) ?? {};
    for (const name of ["logs", "logs_by_topic1", "logs_to_by_topic1"]) {
      clickHouse.missing = `purse_${id}_${name}`;
      await expect(openWriter().append(first.last, blockRows(2, first.last), [])).rejects.toThrow(
        `the table ${clickHouse.missing} of the index is missing`,
      );
    }
    clickHouse.missing = undefined;
    clickHouse.queries = 0;
    await openWriter().append(first.last, blockRows(2, first.last), []);
    expect(clickHouse.queries, "one query for all tables").toBe(1);
    expect(await visible("logs")).toHaveLength(4);
  });

  it("saves the first state once, before it creates the tables that the state names", async () => {
    const sqlWriter = createSqliteWriter(join(folder, "index.sqlite"));
    const changes: [before: string | undefined, statements: number][] = [];
    const changeState = sqlWriter.changeState.bind(sqlWriter);
    sqlWriter.changeState = async (state) => {
      changes.push([state.before, clickHouse.statements.length]);
      await changeState(state);
    };
    await openWriter(sqlWriter).append(undefined, blockRows(1, undefined), []);
    expect(changes).toEqual([[undefined, 0]]);
  });

  it("goes on after a deletion that fails, and keeps hiding the rows", async () => {
    const writer = openWriter();
    const parent = await addReorganizedBlocks(writer);
    now += 3_600_000;
    clickHouse.beforeStatement = () => Promise.reject(new Error("not enough privileges"));
    const next = blockRows(41, parent);
    await writer.append(parent, next, []);
    await expect.poll(() => warnings).toEqual(["hidden events in ClickHouse could not be deleted"]);
    await writer.append(next.last, blockRows(42, next.last), []);
    expect((await store.checkpoint())?.number).toBe(42);
    expect((await readState())?.removed.length).toBeGreaterThan(32);
    expect(await visible("logs")).toHaveLength(84);
  });

  it("hides the events of removed blocks at once, and shows those of the new chain", async () => {
    const writer = openWriter();
    const first = blockRows(1, undefined);
    const second = blockRows(2, first.last, "b");
    await writer.append(undefined, first, []);
    await writer.append(first.last, second, []);
    await writer.unwind(1);
    expect(positions(await visible("logs"))).toEqual([positionOf(1, 0), positionOf(1, 1)]);
    expect((await store.checkpoint())?.number).toBe(1);
    await writer.append(first.last, blockRows(2, first.last, "c"), []);
    const hashes = (await visible("logs")).map(({ transaction_hash: hash }) => hash);
    const bytesOf = (chain: string) => Buffer.from(chain.repeat(64), "hex");
    expect(hashes).toEqual([bytesOf("a"), bytesOf("a"), bytesOf("c"), bytesOf("c")]);
  });

  it("deletes removed rows once no reader can use them", async () => {
    const writer = openWriter();
    const parent = await addReorganizedBlocks(writer);
    const isDeletion = (statement: string) => statement.startsWith("DELETE");
    expect(clickHouse.statements.filter(isDeletion)).toEqual([]);
    expect((await readState())?.removed.length).toBeGreaterThan(32);
    now += 3_600_000;
    let last = parent;
    const removedAfterAppend = async () => {
      const rows = blockRows((last?.number ?? 0) + 1, last);
      await writer.append(last, rows, []);
      last = rows.last;
      return (await readState())?.removed;
    };
    await expect.poll(removedAfterAppend).toEqual([]);
    const { id = "" } = (await readState()) ?? {};
    const tables = EVENT_TABLES.flatMap((table) => [...eventTableNames(id, table).values()]);
    expect(clickHouse.statements.filter(isDeletion).map((each) => each.split(" ")[2])).toEqual(tables);
  });

  it("inserts nothing after it was frozen until removed rows were deleted, which nothing would hide any more", async () => {
    const frozen = openWriter();
    const first = blockRows(1, undefined);
    await frozen.append(undefined, first, []);
    const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
    clickHouse.frozen = thawed;
    const late = frozen.append(first.last, blockRows(2, first.last, "f"), []);
    late.catch(() => undefined);
    await expect.poll(() => clickHouse.waiting).toBeGreaterThan(0);
    clickHouse.frozen = undefined;
    const writer = openWriter();
    let last = await addReorganizedBlocks(writer, first.last);
    now += 3_600_000;
    await expect
      .poll(async () => {
        const rows = blockRows((last?.number ?? 0) + 1, last);
        await writer.append(last, rows, []);
        last = rows.last;
        return (await readState())?.removed;
      })
      .toEqual([]);
    const before = await visible("logs");
    thaw();
    await expect(late).rejects.toThrow(CheckpointConflictError);
    expect(await visible("logs")).toEqual(before);
  });

  it("begins with other tables after the index was cleared", async () => {
    const writer = openWriter();
    await writer.append(undefined, blockRows(1, undefined), []);
    const before = await readState();
    await writer.clear();
    expect(await visible("logs")).toEqual([]);
    expect(clickHouse.statements).toContain(
      `DROP TABLE IF EXISTS ${eventTableName(before?.id ?? "", "logs")} SYNC`,
    );
    await writer.append(undefined, blockRows(1, undefined), []);
    expect(await visible("logs")).toHaveLength(2);
  });

  it("drops the tables of a former index once no reader can use them", async () => {
    const writer = openWriter();
    const first = blockRows(1, undefined);
    await writer.append(undefined, first, []);
    const state = await readState();
    const unused = [
      { id: "0a1b", at: now },
      { id: state?.id ?? "", at: 0 },
    ];
    await writer.saveProperty(UNUSED_TABLES_FACT, JSON.stringify(unused));
    const dropped = () => clickHouse.statements.filter((statement) => statement.startsWith("DROP"));
    let { last } = first;
    const listedAfterAppend = async () => {
      const rows = blockRows(last.number + 1, last);
      await writer.append(last, rows, []);
      ({ last } = rows);
      return (await store.properties()).get(UNUSED_TABLES_FACT);
    };
    now += 300_000;
    expect(await listedAfterAppend()).toBe(JSON.stringify(unused));
    expect(dropped()).toEqual([]);
    now += 600_000;
    await expect.poll(listedAfterAppend).toBe("[]");
    expect(dropped()).toHaveLength(tablesAndViews(state?.id ?? "").length);
    for (const statement of dropped()) expect(statement).toContain("purse_0a1b_");
  });

  it("drops the tables of a cleared index later if the process ends before", async () => {
    const writer = openWriter();
    await writer.append(undefined, blockRows(1, undefined), []);
    const before = await readState();
    clickHouse.failOn = "DROP";
    await expect(writer.clear()).rejects.toThrow("reached");
    clickHouse.failOn = undefined;
    now += 3_600_000;
    const next = openWriter();
    await next.append(undefined, blockRows(1, undefined), []);
    await expect
      .poll(() => clickHouse.statements)
      .toContain(`DROP TABLE IF EXISTS ${eventTableName(before?.id ?? "", "logs")} SYNC`);
    expect(positions(await visible("logs"))).toEqual([positionOf(1, 0), positionOf(1, 1)]);
  });
});
