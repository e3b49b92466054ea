import type { ChainEvent } from "@purse/chain";
import { isFieldName, isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";

/** Field names that the objects of events already have. */
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

/** `id` is the id of an object in the SDKs, which hide a field of that name. Moralis v1 renamed it in the same way. */
const RENAMED: ReadonlyMap<string, string> = new Map([["id", "uid"]]);

/** Returns the arguments of an event under the names that they have in objects; also used by filters. */
export function eventFields({ fields }: ChainEvent): JsonObject {
  const { args, ...own } = fields;
  if (args === undefined) {
    delete own.address;
    delete own.log_index;
  }
  const named: JsonObject = {};
  const values = isJsonObject(args) ? args : own;
  for (const [name, field] of argumentFields(Object.keys(values)))
    named[field] = storable(values[name] ?? null);
  for (const [field, value] of Object.entries({ ...named })) {
    const approximate = decimalField(field);
    // Integers are strings, because they may exceed the range of numbers; an approximate number is added for comparing
    // and summing.
    if (isInteger(value) && !Object.hasOwn(named, approximate)) named[approximate] = Number(value);
  }
  return named;
}

/** Returns the names that arguments of an event have as fields of its objects. */
export function argumentFields(names: readonly string[]): Map<string, string> {
  return assignFields(names, RENAMED);
}

/** The field with an approximate number that accompanies an integer. */
export function decimalField(field: string): string {
  return `${field}_decimal`;
}

/**
 * Returns the fields that earlier versions stored under another name, with their current names: arguments called `id`
 * were not renamed.
 */
export function renamedFields(names: readonly string[]): Map<string, string> {
  const former = assignFields(names, new Map());
  const current = argumentFields(names);
  const taken = new Set(former.values());
  const renamed = new Map<string, string>();
  for (const [name, before] of former) {
    const after = current.get(name) ?? before;
    if (before === after) continue;
    renamed.set(before, after);
    if (!taken.has(decimalField(before))) renamed.set(decimalField(before), decimalField(after));
  }
  return renamed;
}

/** A name that is in use gets trailing underscores. Names that are not renamed are assigned first. */
function assignFields(names: readonly string[], renames: ReadonlyMap<string, string>): Map<string, string> {
  const used = new Set(RESERVED_FIELDS);
  const wanted = names.map((name): [string, string] => [name, validFieldName(name)]);
  const ordered = [
    ...wanted.filter(([, field]) => !renames.has(field)),
    ...wanted.filter(([, field]) => renames.has(field)),
  ];
  const assigned = new Map<string, string>();
  for (const [name, valid] of ordered) {
    let field = renames.get(valid) ?? valid;
    while (used.has(field)) field += "_";
    used.add(field);
    assigned.set(name, field);
  }
  return assigned;
}

/** Leading underscores are removed. */
function validFieldName(name: string): string {
  const trimmed = name.replace(/[^0-9A-Za-z_]/g, "_").replace(/^_+/, "");
  return isFieldName(trimmed) ? trimmed : `arg_${trimmed}`.slice(0, 100);
}

/** Strings that every database accepts: arguments of a contract are arbitrary. */
function storable(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed().replaceAll("\0", "\u{fffd}");
  if (Array.isArray(value)) return value.map(storable);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, storable(each)]));
}

function isInteger(value: JsonValue): value is string {
  return typeof value === "string" && /^-?\d{1,80}$/.test(value);
}
