import { ErrorCode, ProtocolError } from "./errors.ts";
import {
  hasType,
  isPointer,
  isWireDate,
  type JsonValue,
  type WireBytes,
  type WireFile,
  type WireGeoPoint,
  type WirePolygon,
  type WireRelation,
} from "./wireValues.ts";

/** The types that a field of a class can have, spelled as in schemas. */
export const FIELD_TYPES = [
  "String",
  "Number",
  "Boolean",
  "Date",
  "File",
  "GeoPoint",
  "Polygon",
  "Bytes",
  "Array",
  "Object",
  "Pointer",
  "Relation",
  "ACL",
] as const;
export type FieldTypeName = (typeof FIELD_TYPES)[number];
export interface FieldType {
  type: FieldTypeName;
  /** Only set for Pointer and Relation. */
  targetClass?: string;
  required?: boolean;
  defaultValue?: JsonValue;
}

export function isWireFile(value: unknown): value is WireFile {
  return hasType(value, "File") && typeof value.name === "string";
}

export function isGeoPoint(value: unknown): value is WireGeoPoint {
  return (
    hasType(value, "GeoPoint") &&
    typeof value.latitude === "number" &&
    typeof value.longitude === "number" &&
    Math.abs(value.latitude) <= 90 &&
    Math.abs(value.longitude) <= 180
  );
}

export function isPolygon(value: unknown): value is WirePolygon {
  return (
    hasType(value, "Polygon") &&
    Array.isArray(value.coordinates) &&
    value.coordinates.length >= 3 &&
    value.coordinates.every(
      (point) => Array.isArray(point) && point.length === 2 && point.every((n) => typeof n === "number"),
    )
  );
}

function isBytes(value: unknown): value is WireBytes {
  return hasType(value, "Bytes") && typeof value.base64 === "string";
}

function isRelation(value: unknown): value is WireRelation {
  return hasType(value, "Relation") && typeof value.className === "string";
}

/**
 * Returns the field type of a stored value; undefined for null. Throws 111 if the value does not have the shape of its
 * `__type`.
 */
export function fieldTypeOf(value: JsonValue): FieldType | undefined {
  if (value === null) return undefined;
  if (typeof value === "string") return { type: "String" };
  if (typeof value === "number") return { type: "Number" };
  if (typeof value === "boolean") return { type: "Boolean" };
  if (Array.isArray(value)) return { type: "Array" };
  if (!("__type" in value)) return { type: "Object" };
  if (isPointer(value)) return { type: "Pointer", targetClass: value.className };
  if (isWireDate(value)) return { type: "Date" };
  if (isWireFile(value)) return { type: "File" };
  if (isGeoPoint(value)) return { type: "GeoPoint" };
  if (isPolygon(value)) return { type: "Polygon" };
  if (isBytes(value)) return { type: "Bytes" };
  if (isRelation(value)) return { type: "Relation", targetClass: value.className };
  if (value.__type === "Polygon" && Array.isArray(value.coordinates) && value.coordinates.length < 3) {
    throw new ProtocolError(ErrorCode.INVALID_JSON, "Polygon must have at least 3 values");
  }
  throw new ProtocolError(ErrorCode.INCORRECT_TYPE, `This is not a valid ${String(value.__type)}`);
}
