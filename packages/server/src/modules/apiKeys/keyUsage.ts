import { ErrorCode, isJsonObject, type JsonObject, type Operation, ProtocolError } from "@purse/protocol";
import type { StudioClasses } from "../../data/schema/studioClasses.ts";
import { openStudioClasses } from "../../data/schema/studioClasses.ts";
import { createRow, findRows } from "../../database/serverRows.ts";
import type { Store } from "../../database/store.ts";
import type { StudioKeyUsage } from "../../studioApi/apiKeys.ts";

interface KeyUsageDependencies {
  store: Store;
  classes: StudioClasses;
  /** Milliseconds since the epoch. */
  clock(): number;
}

const HOUR_MS = 3_600_000;
/** Number of hours that are reported and retained. */
const REPORTED_HOURS = 48;
const RETAINED_HOURS = 24 * 30;
const FLUSH_INTERVAL_MS = 30_000;

/**
 * Hourly request counts of API keys. Each process counts in memory and adds its counts to the database twice a minute.
 * A crash may lose the last counts, which are not used for billing.
 */
export class KeyUsage {
  readonly #dependencies: KeyUsageDependencies;
  readonly #report: (error: unknown) => void;
  /** By hour and id of the key. */
  #pendingCounts = new Map<string, Map<string, number>>();
  readonly #timer: NodeJS.Timeout;

  constructor(dependencies: KeyUsageDependencies, report: (error: unknown) => void) {
    this.#dependencies = dependencies;
    this.#report = report;
    this.#timer = setInterval(() => this.#flush().catch(report), FLUSH_INTERVAL_MS);
    this.#timer.unref();
  }

  count(keyId: string): void {
    const hour = hourId(this.#dependencies.clock());
    let hourCounts = this.#pendingCounts.get(hour);
    if (!hourCounts) {
      hourCounts = new Map();
      this.#pendingCounts.set(hour, hourCounts);
    }
    hourCounts.set(keyId, (hourCounts.get(keyId) ?? 0) + 1);
  }

  /** Returns the last two days, oldest first; the last hour is incomplete. */
  async hours(): Promise<StudioKeyUsage[]> {
    await this.#flush();
    const { store, classes, clock } = this.#dependencies;
    const now = clock();
    const rows = await findRows(store, classes._StudioKeyUsage, {
      order: "-objectId",
      limit: REPORTED_HOURS,
    });
    const known = new Map(rows.map(({ objectId, requests }) => [String(objectId), parseCounts(requests)]));
    return Array.from({ length: REPORTED_HOURS }, (_, i) => {
      const at = hourId(now - (REPORTED_HOURS - 1 - i) * HOUR_MS);
      return { at: hourToIso(at), requests: known.get(at) ?? {} };
    });
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush().catch(this.#report);
  }

  async #flush(): Promise<void> {
    const pendingCounts = this.#pendingCounts;
    this.#pendingCounts = new Map();
    for (const [hour, requests] of pendingCounts) {
      const operations: Record<string, Operation> = {};
      for (const [id, amount] of requests) operations[`requests.${id}`] = { op: "Increment", amount };
      await this.#add(hour, operations);
    }
  }

  async #add(id: string, operations: Record<string, Operation>): Promise<void> {
    const { store, classes, clock } = this.#dependencies;
    const schema = classes._StudioKeyUsage;
    const at = new Date(clock()).toISOString();
    const update = { kind: "update", schema, id, at, operations, subjects: null } as const;
    try {
      await store.write([update]);
      return;
    } catch (error) {
      if (!(error instanceof ProtocolError && error.code === ErrorCode.OBJECT_NOT_FOUND)) throw error;
    }
    try {
      await store.write([createRow(schema, id, clock(), { requests: {} })]);
      await this.#deleteOld();
    } catch (error) {
      // Another process has created the row.
      if (!(error instanceof ProtocolError && error.code === ErrorCode.DUPLICATE_VALUE)) throw error;
    }
    await store.write([update]);
  }

  /** Deletes old rows; called once an hour when a new row is created. */
  async #deleteOld(): Promise<void> {
    const { store, classes } = this.#dependencies;
    const schema = classes._StudioKeyUsage;
    const rows = await findRows(store, schema, { order: "-objectId", limit: 100, skip: RETAINED_HOURS });
    const old = rows.map(({ objectId }) => String(objectId));
    if (old.length > 0) await store.write(old.map((id) => ({ kind: "delete", schema, id, subjects: null })));
  }
}

export async function openKeyUsage(
  store: Store,
  clock: () => number,
  report: (error: unknown) => void,
): Promise<KeyUsage> {
  return new KeyUsage({ store, classes: await openStudioClasses(store), clock }, report);
}

/** Returns the id of an hour, which sorts chronologically: `2026013112`. */
function hourId(ms: number): string {
  return new Date(ms).toISOString().slice(0, 13).replaceAll(/[-T]/g, "");
}

function hourToIso(hour: string): string {
  return `${hour.slice(0, 4)}-${hour.slice(4, 6)}-${hour.slice(6, 8)}T${hour.slice(8, 10)}:00:00.000Z`;
}

function parseCounts(value: JsonObject[string] | undefined): Record<string, number> {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.flatMap(([id, count]) => (typeof count === "number" ? [[id, count]] : [])),
  );
}
