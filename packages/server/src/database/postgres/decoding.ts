import type { Logger } from "../../core/logger.ts";
import type { ChangeSource } from "../changeLog.ts";
import type { Leases } from "../lease.ts";
import { DECODING_LEASE, decodingOf, disableDecoding } from "./decodingLayout.ts";
import { SharedPool } from "./pools.ts";
import { dropSlot, type SlotDependencies } from "./replicationSlot.ts";
import type { SessionOptions, Sql } from "./session.ts";

export interface DecodingOptions extends SlotDependencies {
  /** For statements that may run twice. */
  sql: Sql;
  /** Sessions for adding to the log. */
  writes: SessionOptions;
  /** URL of a server without a pooler. */
  directUrl: string;
  leases: Leases;
  logger: Logger;
  /** Called after changes were added to the log, with their classes; without them, all readers have to read. */
  onAppended(classNames?: ReadonlySet<string>): void;
}

/** The decoding of changes in this process. */
export interface Decoding {
  /** Goes back to triggers if this process uses them, and no other one decodes changes any more. */
  endUnused(): Promise<void>;
  close(): Promise<void>;
}

/**
 * With `decoding`, begins to compete for reading changes by logical decoding, which the database has to allow.
 */
export async function openDecoding(
  source: ChangeSource | undefined,
  options: DecodingOptions,
): Promise<Decoding> {
  if (source !== "decoding") {
    const endUnused = () =>
      endUnusedDecoding(options).catch((error: unknown) =>
        options.logger.warn("the decoding of changes could not be ended: trying again later", {
          error: String(error),
        }),
      );
    await endUnused();
    return { endUnused, close: async () => undefined };
  }
  // Only few servers need it.
  const { ChangeRelay } = await import("./changeRelay.ts");
  const sql = new SharedPool(options.writes, 1);
  const relay = new ChangeRelay({ ...options, url: options.directUrl, sql });
  relay.start();
  return {
    endUnused: async () => undefined,
    async close() {
      await relay.close();
      await sql.end();
    },
  };
}

/** A lease that was not released counts as held for so much longer: its holder may only be slow, in s. */
const LEASE_GRACE_S = 30;

/** Goes back to triggers if changes were decoded, and no process decodes them any more. */
async function endUnusedDecoding({ maintenancePool, withSchemaLock, sql }: DecodingOptions): Promise<void> {
  const name = await decodingOf(sql);
  if (name === undefined || (await isInUse(sql))) return;
  // If what follows fails, the slot is missing, and the tables still show that this has to be repeated.
  await dropSlot(maintenancePool, name);
  await withSchemaLock(async (transaction) => {
    // A process that has begun to decode meanwhile has found the slot missing, and creates it anew.
    if ((await decodingOf(transaction)) === name && !(await isInUse(transaction)))
      await disableDecoding(transaction, name);
  });
}

/** Whether a process decodes changes, or did so a moment ago. */
async function isInUse(sql: Pick<Sql, "run">): Promise<boolean> {
  const [lease] = await sql.run(
    "SELECT 1 FROM purse_leases WHERE name = ? AND expires_at > clock_timestamp() - ?::int * interval '1 second'",
    [DECODING_LEASE, LEASE_GRACE_S],
  );
  return lease !== undefined;
}
