import type { Write, WriteResult } from "../store.ts";
import { executeWrite, requiresRead } from "./executeWrite.ts";
import { lockOrder } from "./lockOrder.ts";
import type { Transaction } from "./transactions.ts";

/** Returns the classes whose objects are written. */
export function writtenClasses(writes: readonly Write[]): Set<string> {
  return new Set(writes.flatMap((write) => ("schema" in write ? [write.schema.className] : [])));
}

/** Executes all writes of a transaction in lock order. Rejects with the error of the first write that failed. */
export async function executeWrites(
  transaction: Transaction,
  group: Write[],
  now: number,
): Promise<WriteResult[]> {
  const outcomes: PromiseSettledResult<WriteResult>[] = [];
  const steps: Promise<void>[] = [];
  const isSequential = group.some(requiresRead);
  for (const index of lockOrder(group)) {
    const write = group[index];
    if (!write) continue;
    const step = Promise.allSettled([executeWrite(transaction, write, now)]).then(([outcome]) => {
      outcomes[index] = outcome;
    });
    // Without intermediate reads, the statements are pipelined.
    if (isSequential) await step;
    else steps.push(step);
  }
  await Promise.all(steps);
  return outcomes.map((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}
