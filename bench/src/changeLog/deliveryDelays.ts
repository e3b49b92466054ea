import { openStore, type Store } from "@purse/server";
import { newDatabase } from "../../../tests/support/postgresServer.ts";
import { quantile } from "../quantile.ts";
import type { Effort } from "./commitRates.ts";
import { classOf, FIELDS, nextId } from "./measuredClass.ts";
import { readChanges } from "./readChanges.ts";

const CLASS_NAME = "Delayed";
const WRITERS = 2;

export interface DeliveryDelays {
  writesPerSecond: number;
  /** In ms. */
  median: number;
  /** In ms. */
  p99: number;
}

/** Measures the time from the acknowledgment of a write until another process has read its change. */
export async function measureDeliveryDelays(
  serverUrl: string,
  { clients, durationMs }: Effort,
): Promise<DeliveryDelays> {
  const url = await newDatabase(serverUrl);
  const open = () => openStore({ kind: "postgres", url, connections: 8 });
  const reader = await open();
  await reader.changeClass(CLASS_NAME, () => classOf(CLASS_NAME));
  const writers = await Promise.all(Array.from({ length: WRITERS }, open));
  const acknowledged = new Map<string, number>();
  const read = new Map<string, number>();
  const stop = await readChanges(reader, CLASS_NAME, (id) => read.set(id, performance.now()));
  const end = performance.now() + durationMs;
  const client = async (writer: Store): Promise<void> => {
    while (performance.now() < end) {
      const id = nextId();
      const object = { objectId: id, ...FIELDS };
      await writer.write([{ kind: "create", schema: classOf(CLASS_NAME), id, at: FIELDS.createdAt, object }]);
      acknowledged.set(id, performance.now());
    }
  };
  await Promise.all(
    writers.flatMap((writer) => Array.from({ length: clients / WRITERS }, () => client(writer))),
  );
  while (read.size < acknowledged.size) await new Promise((resolve) => setTimeout(resolve, 10));
  stop();
  await Promise.all([...writers, reader].map((store) => store.close()));
  const waits = [...acknowledged].map(([id, at]) =>
    Math.max(0, (read.get(id) ?? Number.POSITIVE_INFINITY) - at),
  );
  return {
    writesPerSecond: waits.length / (durationMs / 1_000),
    median: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
  };
}
