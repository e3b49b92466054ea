/* Sizes of the tables in ClickHouse, and what it still does in the background. */
import { setTimeout } from "node:timers/promises";
import { openClickHouse } from "../../../packages/chain/src/store/clickhouse/clickhouseConnection.ts";

const [POLL_MS, MAX_WAIT_MS] = [2_000, 15 * 60_000];

/** Sizes of the tables of events, with their copies in other orders. */
export async function clickHouseSizes(url: string): Promise<Map<string, number>> {
  const clickHouse = await openClickHouse(url, 1);
  // The names begin with `purse_` and the id of the index, and those of copies have an order at the end.
  const rows = await clickHouse.query(
    `SELECT replaceRegexpOne(table, '^purse_[0-9a-f]+_(.+?)(_by_.*)?$', '\\\\1') AS details, sum(bytes_on_disk) AS bytes
      FROM system.parts WHERE active AND table LIKE 'purse_%' GROUP BY details`,
  );
  await clickHouse.close();
  return new Map(rows.map(({ details, bytes }) => [String(details), Number(bytes)]));
}

/** Waits until no parts have been merged twice in a row, for a quarter of an hour at most. */
export async function waitForMerges(url: string): Promise<void> {
  const clickHouse = await openClickHouse(url, 1);
  const startedAt = performance.now();
  for (let idle = 0; idle < 2 && performance.now() - startedAt < MAX_WAIT_MS; ) {
    const [row] = await clickHouse.query("SELECT count() AS n FROM system.merges");
    idle = Number(row?.n) === 0 ? idle + 1 : 0;
    await setTimeout(POLL_MS);
  }
  await clickHouse.close();
  console.log(`clickhouse: merged for ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}
