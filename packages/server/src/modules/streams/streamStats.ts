import type { JsonObject, Operation } from "@purse/protocol";
import { wireDate } from "@purse/protocol";
import type { ClassSchema } from "../../database/classSchema.ts";
import type { Write } from "../../database/store.ts";
import type { StreamMessage } from "./streamMessages.ts";

/** Returns the writes that count what messages contain, for each stream. `at` is ISO. */
export function countMatches(messages: readonly StreamMessage[], schema: ClassSchema, at: string): Write[] {
  const byStream = Map.groupBy(messages, ({ stream }) => stream.id);
  return [...byStream].map(([id, ofStream]): Write => {
    const sum = (list: "logs" | "transactions" | "internalTransfers"): Operation => ({
      op: "Increment",
      amount: ofStream.reduce((total, { match }) => total + match[list].length, 0),
    });
    const operations = {
      logsProcessed: sum("logs"),
      txsProcessed: sum("transactions"),
      txsInternalProcessed: sum("internalTransfers"),
    };
    return { kind: "update", schema, id, at, operations, subjects: null };
  });
}

/** Returns the write that counts an attempt of a delivery; `error` is undefined if it succeeded. `now` in ms. */
export function countAttempt(
  stream: string,
  error: string | undefined,
  schema: ClassSchema,
  now: number,
): Write {
  const date = new Date(now);
  const operations: Record<string, Operation> =
    error === undefined
      ? {
          webhooksDelivered: { op: "Increment", amount: 1 },
          lastDeliveredAt: { op: "Set", value: wireDate(date) },
          statusMessage: { op: "Set", value: "" },
        }
      : {
          webhooksFailed: { op: "Increment", amount: 1 },
          statusMessage: { op: "Set", value: error },
        };
  return { kind: "update", schema, id: stream, at: date.toISOString(), operations, subjects: null };
}

/** The counters of a `_ChainStream` object, or the sums over several, as in Moralis. */
export function statsOf(rows: readonly JsonObject[]) {
  const sum = (field: string) => rows.reduce((total, row) => total + Number(row[field] ?? 0), 0);
  return {
    totalWebhooksDelivered: sum("webhooksDelivered"),
    totalWebhooksFailed: sum("webhooksFailed"),
    totalLogsProcessed: sum("logsProcessed"),
    totalTxsProcessed: sum("txsProcessed"),
    totalTxsInternalProcessed: sum("txsInternalProcessed"),
  };
}
