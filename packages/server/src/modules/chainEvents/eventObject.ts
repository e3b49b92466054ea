import type { ChainEvent, Selection } from "@purse/chain";
import { type JsonObject, wireDate } from "@purse/protocol";
import { eventFields } from "../../chainWork/eventFields.ts";
import { eventId } from "./watch.ts";

/** Readable by everyone, writable by no client. */
const ACL = { "*": { read: true } };

/** Creates the object of an event. */
export function eventObject(
  event: ChainEvent,
  { chainId, kind, confirmed }: { chainId: number; kind: Selection["kind"]; confirmed: boolean },
): JsonObject & { objectId: string } {
  const { cursor, timestamp, transactionHash, fields } = event;
  const { number, hash } = cursor.block;
  return {
    ...eventFields(event),
    objectId: eventId(chainId, hash, kind, cursor.position, cursor.part),
    chain_id: chainId,
    transaction_hash: transactionHash,
    ...(typeof fields.log_index === "number" && { log_index: fields.log_index }),
    ...(typeof fields.address === "string" && { address: fields.address }),
    block_number: number,
    block_hash: hash,
    block_timestamp: wireDate(new Date(timestamp)),
    confirmed,
    ACL,
  };
}
