import {
  assertFieldName,
  closedPolygon,
  ErrorCode,
  isJsonObject,
  isPolygon,
  isWireDate,
  type JsonObject,
  type JsonValue,
  MAX_FIELDS,
  type Operation,
  ProtocolError,
  parseAcl,
  parseOperation,
  parsePath,
} from "@purse/protocol";

/** Fields that the server sets itself. Clients that send back what they have read name times as texts or Dates. */
const RESERVED: ReadonlySet<string> = new Set(["objectId", "createdAt", "updatedAt"]);
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/**
 * Parses the fields of a save from the wire. Fields set by the server are ignored if the client merely returns what it
 * has read: timestamps, and the `id` of the object that is updated. Throws 105 for invalid or reserved names and for
 * dotted keys into fields that can only be set as a whole, 111/107/123 for invalid values.
 */
export function parseFields(
  fields: JsonObject,
  { derivedFields, id }: { derivedFields?: readonly string[] | undefined; id?: string },
): Record<string, Operation> {
  const operations: Record<string, Operation> = {};
  const names = Object.keys(fields);
  if (names.length > MAX_FIELDS)
    throw new ProtocolError(ErrorCode.INVALID_JSON, `a save takes ${MAX_FIELDS} fields at most`);
  for (const name of names) {
    const value = fields[name];
    if (RESERVED.has(name) && isReturnedValue(name, value, id)) continue;
    assertWritableKey(name, derivedFields);
    operations[name] = name === "ACL" ? aclOperation(value) : canonicalOperation(parseOperation(value, name));
  }
  return operations;
}

/**
 * Validates the fields that a trigger has set in the same way as those of clients. `before` contains the operations
 * before the trigger ran. Throws 105 for invalid keys and 123 for an invalid ACL.
 */
export function checkTriggerFields(
  before: Readonly<Record<string, Operation>>,
  operations: Record<string, Operation>,
  derivedFields: readonly string[] | undefined,
): void {
  for (const [name, operation] of Object.entries(operations)) {
    if (operation === before[name]) continue;
    assertWritableKey(name, derivedFields);
    if (name !== "ACL" || operation.op === "Delete") continue;
    operations.ACL = aclOperation(operation.op === "Set" ? operation.value : undefined);
  }
}

/** Fields that can only be set as a whole, not by a dotted key. */
const ATOMIC_FIELDS: ReadonlySet<string> = new Set([...RESERVED, "ACL"]);

/** Throws 105 for a key that cannot be written. A dotted key counts as its root field. */
function assertWritableKey(name: string, derivedFields: readonly string[] | undefined): void {
  const dot = name.indexOf(".");
  const root = dot < 0 ? name : name.slice(0, dot);
  const isAtomic = ATOMIC_FIELDS.has(root) || (derivedFields?.includes(root) ?? false);
  if (RESERVED.has(name) || (isAtomic && dot >= 0)) {
    throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, `${name.slice(0, 128)} is an invalid field name.`);
  }
  if (dot >= 0) parsePath(name);
  else assertFieldName(name);
}

function isReturnedValue(name: string, value: JsonValue | undefined, id: string | undefined): boolean {
  if (name === "objectId") return id !== undefined && value === id;
  return isWireDate(value) || (typeof value === "string" && ISO_TIME.test(value));
}

function aclOperation(value: JsonValue | undefined): Operation {
  if (value === null || (isJsonObject(value) && value.__op === "Delete")) return { op: "Delete" };
  const acl = parseAcl(value);
  const stored: JsonObject = {};
  for (const subject in acl) stored[subject] = { ...acl[subject] };
  return { op: "Set", value: stored };
}

/** Closes polygons. */
function canonicalOperation(operation: Operation): Operation {
  if (operation.op !== "Set") return operation;
  const value = canonicalValue(operation.value);
  return value === operation.value ? operation : { op: "Set", value };
}

/** Returns a value in its storage format. */
export function canonicalValue(value: JsonValue): JsonValue {
  if (isPolygon(value)) assertPolygon(value.coordinates);
  if (isPolygon(value)) return { __type: "Polygon", coordinates: closedPolygon(value.coordinates) };
  return value;
}

/** Throws 111 for a polygon with fewer than three different points. */
function assertPolygon(coordinates: readonly (readonly [number, number])[]): void {
  const distinct = new Set(coordinates.map(([latitude, longitude]) => `${latitude},${longitude}`));
  if (distinct.size >= 3) return;
  throw new ProtocolError(ErrorCode.INCORRECT_TYPE, "GeoJSON: Loop must have at least 3 different vertices");
}
