import { isGeoPoint, isPolygon, isWireFile, type JsonObject, type JsonValue } from "@purse/protocol";
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
  return (typeof value.__type === "string" && typed(value)) || decodeFields(value);
}

/** Undefined for what has not the shape of its type. */
function typed(value: JsonObject): object | undefined {
  switch (value.__type) {
    case "Pointer":
    case "Object":
      return typeof value.className === "string" ? objects().fromJSON(value) : undefined;
    case "Date": {
      const date = new Date(typeof value.iso === "string" ? value.iso : Number.NaN);
      return Number.isNaN(date.getTime()) ? undefined : date;
    }
    case "File":
      return isWireFile(value) ? ParseFile.fromJSON(value) : undefined;
    case "GeoPoint":
      return isGeoPoint(value) ? new GeoPoint(value) : undefined;
    case "Polygon":
      return isPolygon(value) ? new Polygon(value.coordinates) : undefined;
    case "Relation":
      return new Relation(
        undefined,
        undefined,
        typeof value.className === "string" ? value.className : undefined,
      );
  }
}

export function decodeFields(json: JsonObject): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...json };
  for (const key in json) {
    if (key === "__proto__") delete fields[key];
    else if (typeof json[key] === "object") fields[key] = decode(json[key]);
  }
  return fields;
}
