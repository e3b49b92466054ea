import {
  assertFieldName,
  closedPolygon,
  ErrorCode,
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
 * has read: times, and the `id` of the object that is changed. Throws 105 for bad or reserved names, 111/107/123 for
 * bad values.
 */
export function parseFields(fields: JsonObject, id?: string): Record<string, Operation> {
  const operations: Record<string, Operation> = {};
  const names = Object.keys(fields);
  if (names.length > MAX_FIELDS)
    throw new ProtocolError(ErrorCode.INVALID_JSON, `a save takes ${MAX_FIELDS} fields at most`);
  for (const name of names) {
    if (RESERVED.has(name)) {
      if (isSentBack(name, fields[name], id)) continue;
      throw new ProtocolError(
        ErrorCode.INVALID_KEY_NAME,
        `${name} is an invalid field name. Invalid Key name`,
      );
    }
    const value = fields[name];
    if (name === "ACL") operations.ACL = aclOperation(value);
    else {
      if (name.includes(".")) parsePath(name);
      else assertFieldName(name);
      operations[name] = canonical(parseOperation(value));
    }
  }
  return operations;
}

function isSentBack(name: string, value: JsonValue | undefined, id: string | undefined): boolean {
  if (name === "objectId") return id !== undefined && value === id;
  return isWireDate(value) || (typeof value === "string" && ISO_TIME.test(value));
}

function aclOperation(value: JsonValue | undefined): Operation {
  if (value === null || (typeof value === "object" && "__op" in value)) return { op: "Delete" };
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
