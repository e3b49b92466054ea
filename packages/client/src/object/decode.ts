import type { JsonObject, JsonValue } from "@purse/protocol";
import { opFromJSON } from "./Op.ts";
import { Relation } from "./Relation.ts";
import { objects } from "./registry.ts";
import { readValue } from "./valueTypes.ts";

/** A value from the wire as the types that applications work with. Bytes stay as they are. */
export function decode(value: JsonValue | undefined): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value.__op === "string") return opFromJSON(value, decode);
  return (typeof value.__type === "string" && typed(value)) || decodeFields(value);
}

/** Undefined for what has not the shape of its type. */
function typed(value: JsonObject): object | undefined {
  const { __type, className, iso } = value;
  const name = typeof className === "string" ? className : undefined;
  switch (__type) {
    case "Pointer":
    case "Object":
      return name === undefined ? undefined : objects().fromJSON(value);
    case "Relation":
      return new Relation(undefined, undefined, name);
    case "Date": {
      const date = new Date(typeof iso === "string" ? iso : Number.NaN);
      return Number.isNaN(date.getTime()) ? undefined : date;
    }
    default:
      return readValue(value);
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
