import postgres from "postgres";
import { expect } from "vitest";
import type { LiveHistory } from "../liveHistory.ts";

/** How long to wait until the slot is free, and until all clients have been notified, in ms. */
const PATIENCE = { timeout: 60_000, interval: 20 };

/**
 * Removes the replication slot from which changes are decoded, with the changes that were not read from it. All live
 * clients must be notified to query again.
 */
export async function loseSlot(databaseUrl: string, histories: readonly LiveHistory[]): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined });
  const before = histories.map(({ refetches }) => refetches);
  const slots = () => sql`SELECT FROM pg_replication_slots WHERE database = current_database()`;
  try {
    // The process that reads it is back soon.
    const isLost = async () => {
      await sql`SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots
        WHERE database = current_database() AND active_pid IS NOT NULL`;
      const dropped = await sql`SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots
        WHERE database = current_database() AND NOT active`.catch(() => []);
      return dropped.length;
    };
    await expect.poll(isLost, PATIENCE).toBe(1);
    const notified = () => histories.filter(({ refetches }, i) => refetches > (before[i] ?? 0)).length;
    await expect.poll(notified, PATIENCE).toBe(histories.length);
    await expect.poll(async () => (await slots()).length, PATIENCE).toBe(1);
  } finally {
    await sql.end();
  }
}
