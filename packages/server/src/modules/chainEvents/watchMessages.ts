import { wireDate } from "@purse/protocol";
import { newObjectId } from "../../data/objects/objectId.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { createRow } from "../../database/serverRows.ts";
import type { Write } from "../../database/store.ts";
import type { EventChange } from "./eventWriter.ts";
import type { Watch } from "./watch.ts";

/** The class of the messages of watches. */
export const MESSAGE_CLASS = "_ChainMessage";

/** Returns the writes that enqueue messages to a watch's webhook, numbered from `from` on. `now` in ms. */
export function watchMessages(
  schema: ClassSchema,
  now: number,
  ...[watch, source, from, changes]: [watch: Watch, source: string, from: number, changes: EventChange[]]
): Write[] {
  return changes.map(({ kind, object }, i): Write => {
    const { ACL: _, ...payload } = object;
    return createRow(schema, newObjectId(), now, {
      source,
      sequence: from + i,
      url: watch.webhook ?? "",
      body: {
        event: kind,
        watch: watch.id,
        sequence: from + i,
        object: { ...payload, className: watch.className },
      },
      status: "waiting",
      attempts: 0,
      nextAt: wireDate(new Date(now)),
    });
  });
}
