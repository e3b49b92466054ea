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

/** Fields that the server sets by itself. */
const RESERVED: ReadonlySet<string> = new Set(["objectId", "createdAt", "updatedAt"]);
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/**
 * Reads the fields of a save from the wire. What the server sets is left out where the client only sends back what it
 * has read: times, and the `id` of the object that is changed. Throws 105 for bad or reserved names and for keys into
 * fields that are written as a whole, 111/107/123 for bad values.
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
    if (RESERVED.has(name) && isSentBack(name, value, id)) continue;
    assertWritableKey(name, derivedFields);
    operations[name] = name === "ACL" ? aclOperation(value) : canonical(parseOperation(value));
  }
  return operations;
}

/**
 * Validates the fields that a trigger has set like those that clients send. `before` has the operations without the
 * trigger. Throws 105 for bad keys and 123 for a bad ACL.
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

/** Fields that no dotted key may change. */
const WHOLE: ReadonlySet<string> = new Set([...RESERVED, "ACL"]);

/** Throws 105 for a key that must not be written. A dotted key counts as its root field. */
function assertWritableKey(name: string, derivedFields: readonly string[] | undefined): void {
  const dot = name.indexOf(".");
  const root = dot < 0 ? name : name.slice(0, dot);
  const isWhole = WHOLE.has(root) || (derivedFields?.includes(root) ?? false);
  if (RESERVED.has(name) || (isWhole && dot >= 0)) {
    throw new ProtocolError(
      ErrorCode.INVALID_KEY_NAME,
      `${name.slice(0, 128)} is an invalid field name. Invalid Key name`,
    );
  }
  if (dot >= 0) parsePath(name);
  else assertFieldName(name);
}

function isSentBack(name: string, value: JsonValue | undefined, id: string | undefined): boolean {
  if (name === "objectId") return id !== undefined && value === id;
  return isWireDate(value) || (typeof value === "string" && ISO_TIME.test(value));
}

function aclOperation(value: JsonValue | undefined): Operation {
  if (value === null || (isJsonObject(value) && value.__op === "Delete")) return { op: "Delete" };
  const acl = parseAcl(value);
  return {
    op: "Set",
    value: Object.fromEntries(Object.entries(acl).map(([who, entry]) => [who, { ...entry }])),
  };
}

/** Times are stored in one spelling, so that their text sorts as they do; polygons closed. */
function canonical(operation: Operation): Operation {
  return operation.op === "Set" ? { op: "Set", value: canonicalValue(operation.value) } : operation;
}

/** A value as it is stored. */
export function canonicalValue(value: JsonValue): JsonValue {
  if (isWireDate(value)) return { __type: "Date", iso: new Date(value.iso).toISOString() };
  if (isPolygon(value)) return { __type: "Polygon", coordinates: closedPolygon(value.coordinates) };
  return value;
}
