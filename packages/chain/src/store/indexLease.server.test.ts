import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { expect, it } from "vitest";
import { createDatabase } from "../../test/indexDatabase.ts";
import { createRecordingLogger } from "../../test/testService.ts";
import { indexLocationOf } from "../createChainService.ts";
import { emptyBlockRows } from "../model/rows.ts";
import { openIndex } from "./openIndex.ts";

const BLOCK = { number: 1, hash: `0x${"1".repeat(64)}`, parentHash: `0x${"0".repeat(64)}`, timestamp: 1 };

it("a new leader of a PostgreSQL index ends the write of one that froze while it copied rows", async () => {
  const { location, remove } = await createDatabase("PostgreSQL");
  const place = indexLocationOf(location, 1);
  if (place.kind === "sqlite") throw new Error("the index is not in PostgreSQL");
  const log = createRecordingLogger();
  const index = await openIndex(place, log);
  const frozen = new pg.Client({ connectionString: place.url, options: `-c search_path=${place.schema}` });
  const observer = new pg.Client({ connectionString: place.url });
  try {
    await Promise.all([frozen.connect(), observer.connect()]);
    const ended = new Promise((resolve) => frozen.once("end", resolve));
    frozen.on("error", () => undefined);
    const { rows } = await frozen.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    await frozen.query("BEGIN");
    await frozen.query("LOCK TABLE facts IN SHARE ROW EXCLUSIVE MODE");
    // It waits for rows that are never sent.
    frozen.query(copyFrom("COPY blocks FROM STDIN")).on("error", () => undefined);
    const silentSince = async () => {
      const found = await observer.query<{ is_silent: boolean }>(
        `SELECT wait_event = 'ClientRead' AND state = 'active' AND query LIKE 'COPY%'
           AND query_start < clock_timestamp() - interval '1 second' AS is_silent
         FROM pg_stat_activity WHERE pid = $1`,
        [rows[0]?.pid],
      );
      return found.rows[0]?.is_silent;
    };
    await expect.poll(silentSince).toBe(true);

    expect(await index.isLeader()).toBe(true);
    await ended;
    await index.writer.append(undefined, { ...emptyBlockRows(), blocks: [BLOCK] }, []);
    expect((await index.store.checkpoint())?.number).toBe(1);
  } finally {
    await frozen.end().catch(() => undefined);
    await observer.end();
    await index.close();
    await remove();
  }
});
