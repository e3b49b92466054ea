import { expect, it } from "vitest";
import { indexLocationOf } from "../createChainService.ts";
import { createDatabase } from "../testing/indexDatabase.ts";
import { createRecordingLogger } from "../testing/testService.ts";
import { openIndex } from "./openIndex.ts";
import { openPostgres } from "./postgresConnection.ts";

it("openIndex() without canLead opens a PostgreSQL index that another process has to write", async () => {
  const { location, remove } = await createDatabase("PostgreSQL");
  const open = (canLead: boolean) =>
    openIndex(indexLocationOf(location, 1), createRecordingLogger(), canLead);
  const reader = await open(false);
  expect(await reader.isLeader()).toBe(false);
  const leader = await open(true);
  expect(await leader.isLeader()).toBe(true);
  await leader.close();
  expect(await reader.isLeader()).toBe(false);
  await reader.close();
  await remove();
});

it("openIndex() closes its connections if the events of the index cannot be opened", async () => {
  const { location, remove } = await createDatabase("PostgreSQL");
  const index = indexLocationOf(location, 1);
  if (index.kind !== "postgres") throw new Error("the index is not on PostgreSQL");
  await expect(openIndex({ ...index, clickHouseUrl: "not a URL" }, createRecordingLogger())).rejects.toThrow(
    /URL/,
  );
  const pool = openPostgres(index, "lookup", 1);
  const others = async () => {
    const [row] = await pool<{ n: number }>`SELECT count(*)::int4 AS n FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;
    return row?.n;
  };
  await expect.poll(others, { timeout: 30_000, interval: 50 }).toBe(0);
  await pool.end();
  await remove();
});
