import {
  isGeoPoint,
  isPolygon,
  isWireDate,
  isWireFile,
  type JsonObject,
  type JsonValue,
} from "@purse/protocol";
import { ParseFile } from "./File.ts";
import { GeoPoint } from "./GeoPoint.ts";
import { opFromJSON } from "./Op.ts";
import { Polygon } from "./Polygon.ts";
import { Relation } from "./Relation.ts";
import { objects } from "./registry.ts";

/** A value from the wire as the types that applications work with. Bytes stay as they are. */
export function decode(value: JsonValue | undefined): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value.__op === "string") return opFromJSON(value, decode);
  switch (value.__type) {
    case "Pointer":
    case "Object":
      return typeof value.className === "string" ? objects().fromJSON(value) : value;
    case "Date":
      return isWireDate(value) ? new Date(value.iso) : value;
    case "File":
      return isWireFile(value) ? ParseFile.fromJSON(value) : value;
    case "GeoPoint":
      return isGeoPoint(value) ? new GeoPoint(value) : value;
    case "Polygon":
      return isPolygon(value) ? new Polygon(value.coordinates) : value;
    case "Relation":
      return new Relation(
        undefined,
        undefined,
        typeof value.className === "string" ? value.className : undefined,
      );
    default:
      return decodeFields(value);
  }
}

export function decodeFields(json: JsonObject): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const key of Object.keys(json)) {
    if (key !== "__proto__") fields[key] = decode(json[key]);
  }
  return fields;
}
