import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type Operation,
  ProtocolError,
  type StudioKeyUsage,
} from "@purse/protocol";
import type { Store } from "../store/store.ts";
import type { OperatorsParts } from "./operators.ts";
import { openStudioClasses } from "./studioClasses.ts";

const HOUR_MS = 3_600_000;
/** How many hours are told, and how many are kept. */
const TOLD = 48;
const KEPT = 24 * 30;
const WRITTEN_EVERY_MS = 30_000;

/**
 * How often API keys were used, by the hour. Each process counts in memory and adds to what all have counted twice a
 * minute: a power cut loses the last of it, which are figures to look at and no bill.
 */
export class KeyUsage {
  readonly #parts: OperatorsParts;
  readonly #report: (error: unknown) => void;
  /** By hour, by the key's id. */
  #counted = new Map<string, Map<string, number>>();
  readonly #timer: NodeJS.Timeout;

  constructor(parts: OperatorsParts, report: (error: unknown) => void) {
    this.#parts = parts;
    this.#report = report;
    this.#timer = setInterval(() => this.#write().catch(report), WRITTEN_EVERY_MS);
    this.#timer.unref();
  }

  count(keyId: string): void {
    const hour = hourOf(this.#parts.clock());
    let ofHour = this.#counted.get(hour);
    if (!ofHour) {
      ofHour = new Map();
      this.#counted.set(hour, ofHour);
    }
    ofHour.set(keyId, (ofHour.get(keyId) ?? 0) + 1);
  }

  /** The last two days, the oldest first; the last hour is not over yet. */
  async hours(): Promise<StudioKeyUsage[]> {
    await this.#write();
    const { store, classes, clock } = this.#parts;
    const now = clock();
    const texts = await store.find({
      schema: classes._StudioKeyUsage,
      where: { kind: "and", conditions: [] },
      order: [{ path: ["objectId"], descending: true }],
      limit: TOLD,
      skip: 0,
      principals: null,
    });
    const known = new Map(
      texts.map((text) => {
        const { objectId, requests }: JsonObject = JSON.parse(text);
        return [String(objectId), numbersIn(requests)];
      }),
    );
    return Array.from({ length: TOLD }, (_, i) => {
      const at = hourOf(now - (TOLD - 1 - i) * HOUR_MS);
      return { at: timeOf(at), requests: known.get(at) ?? {} };
    });
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#write().catch(this.#report);
  }

  async #write(): Promise<void> {
    const counted = this.#counted;
    this.#counted = new Map();
    for (const [hour, requests] of counted) {
      const operations: Record<string, Operation> = {};
      for (const [id, amount] of requests) operations[`requests.${id}`] = { op: "Increment", amount };
      await this.#add(hour, operations);
    }
  }

  async #add(id: string, operations: Record<string, Operation>): Promise<void> {
    const { store, classes, clock } = this.#parts;
    const schema = classes._StudioKeyUsage;
    const at = new Date(clock()).toISOString();
    const update = { kind: "update", schema, id, at, operations, principals: null } as const;
    try {
      await store.write([update]);
      return;
    } catch (error) {
      if (!(error instanceof ProtocolError && error.code === ErrorCode.OBJECT_NOT_FOUND)) throw error;
    }
    try {
      await store.write([
        {
          kind: "create",
          schema,
          id,
          at,
          object: { objectId: id, createdAt: at, updatedAt: at, requests: {} },
        },
      ]);
      await this.#forgetOld();
    } catch (error) {
      // Another process was quicker: the row is there.
      if (!(error instanceof ProtocolError && error.code === ErrorCode.DUPLICATE_VALUE)) throw error;
    }
    await store.write([update]);
  }

  /** Once an hour, by whoever begins it. */
  async #forgetOld(): Promise<void> {
    const { store, classes } = this.#parts;
    const schema = classes._StudioKeyUsage;
    const texts = await store.find({
      schema,
      where: { kind: "and", conditions: [] },
      order: [{ path: ["objectId"], descending: true }],
      limit: 100,
      skip: KEPT,
      principals: null,
    });
    const old = texts.map((text): string => JSON.parse(text).objectId);
    if (old.length > 0)
      await store.write(old.map((id) => ({ kind: "delete", schema, id, principals: null })));
  }
}

export async function openKeyUsage(
  store: Store,
  clock: () => number,
  report: (error: unknown) => void,
): Promise<KeyUsage> {
  return new KeyUsage({ store, classes: await openStudioClasses(store), clock }, report);
}

/** The id of an hour, in the order of time: `2026013112`. */
function hourOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 13).replaceAll(/[-T]/g, "");
}

function timeOf(hour: string): string {
  return `${hour.slice(0, 4)}-${hour.slice(4, 6)}-${hour.slice(6, 8)}T${hour.slice(8, 10)}:00:00.000Z`;
}

function numbersIn(value: JsonObject[string] | undefined): Record<string, number> {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.flatMap(([id, count]) => (typeof count === "number" ? [[id, count]] : [])),
  );
}
