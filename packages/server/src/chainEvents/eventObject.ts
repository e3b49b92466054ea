import type { FeedEvent, Selection } from "@purse/chain";
import { isFieldName, isJsonObject, type JsonObject, type JsonValue, wireDate } from "@purse/protocol";
import { eventId } from "./watch.ts";

/** Names that fields of objects have already. */
const TAKEN: ReadonlySet<string> = new Set([
  "objectId",
  "createdAt",
  "updatedAt",
  "ACL",
  "chain_id",
  "transaction_hash",
  "log_index",
  "block_number",
  "block_hash",
  "block_timestamp",
  "address",
  "confirmed",
]);

/** Everybody may see it, nobody but the server changes it. */
const ACL = { "*": { read: true } };

/** What an event says, by the names that its fields have in objects; for filters too. */
export function fieldsOf({ fields }: FeedEvent): JsonObject {
  const { args, ...own } = fields;
  const named: JsonObject = {};
  const taken = new Set(TAKEN);
  for (const [name, value] of Object.entries(isJsonObject(args) ? args : own)) {
    if (args === undefined && (name === "address" || name === "log_index")) continue;
    const field = freeName(name, taken);
    taken.add(field);
    named[field] = storable(value);
  }
  for (const [name, value] of Object.entries({ ...named })) {
    const approximate = `${name}_decimal`;
    // Whole numbers are texts, for they are larger than numbers can be: to compare and sum, an approximate one beside.
    if (isWhole(value) && !taken.has(approximate)) named[approximate] = Number(value);
  }
  return named;
}

/** An event as the object that it becomes. */
export function eventObject(
  event: FeedEvent,
  { chainId, kind, confirmed }: { chainId: number; kind: Selection["kind"]; confirmed: boolean },
): JsonObject & { objectId: string } {
  const { place, timestamp, transactionHash, fields } = event;
  const { number, hash } = place.block;
  return {
    ...fieldsOf(event),
    objectId: eventId(chainId, hash, kind, place.position, place.part),
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

/** Text as every database takes it: what a contract says is anybody's text. */
function storable(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\0", "\u{fffd}");
  if (Array.isArray(value)) return value.map(storable);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, storable(each)]));
}

/** A name as Parse allows it, that no other field has: underscores in front go, behind they come. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  const bare = name.replace(/[^0-9A-Za-z_]/g, "_").replace(/^_+/, "");
  let field = isFieldName(bare) ? bare : `arg_${bare}`.slice(0, 100);
  while (taken.has(field)) field += "_";
  return field;
}

function isWhole(value: JsonValue): value is string {
  return typeof value === "string" && /^-?\d{1,80}$/.test(value);
}
