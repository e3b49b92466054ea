import type { ChainEvent, Selection } from "@purse/chain";
import { isFieldName, isJsonObject, type JsonObject, type JsonValue, wireDate } from "@purse/protocol";
import { eventId } from "./watch.ts";

/** Field names that objects already have. */
const RESERVED_FIELDS: ReadonlySet<string> = new Set([
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

/** Readable by everyone, writable by no client. */
const ACL = { "*": { read: true } };

/** Returns the arguments of an event under the names that they have in objects; also used by filters. */
export function eventFields({ fields }: ChainEvent): JsonObject {
  const { args, ...own } = fields;
  const named: JsonObject = {};
  const usedNames = new Set(RESERVED_FIELDS);
  for (const [name, value] of Object.entries(isJsonObject(args) ? args : own)) {
    if (args === undefined && (name === "address" || name === "log_index")) continue;
    const field = uniqueFieldName(name, usedNames);
    usedNames.add(field);
    named[field] = storable(value);
  }
  for (const [name, value] of Object.entries({ ...named })) {
    const approximate = `${name}_decimal`;
    // Integers are strings, because they may exceed the range of numbers; an approximate number is added for comparing
    // and summing.
    if (isInteger(value) && !usedNames.has(approximate)) named[approximate] = Number(value);
  }
  return named;
}

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

/** Strings that every database accepts: arguments of a contract are arbitrary. */
function storable(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\0", "\u{fffd}");
  if (Array.isArray(value)) return value.map(storable);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, storable(each)]));
}

/** Returns a valid and unused field name: leading underscores are removed, trailing ones make it unique. */
function uniqueFieldName(name: string, usedNames: ReadonlySet<string>): string {
  const trimmed = name.replace(/[^0-9A-Za-z_]/g, "_").replace(/^_+/, "");
  let field = isFieldName(trimmed) ? trimmed : `arg_${trimmed}`.slice(0, 100);
  while (usedNames.has(field)) field += "_";
  return field;
}

function isInteger(value: JsonValue): value is string {
  return typeof value === "string" && /^-?\d{1,80}$/.test(value);
}
