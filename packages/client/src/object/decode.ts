import { isWireDate, type JsonObject, type JsonValue, timeOf } from "@purse/protocol";
import { mapChildren } from "./encode.ts";
import { opFromJSON } from "./Op.ts";
import { Relation } from "./Relation.ts";
import { objects } from "./registry.ts";
import { decodeValue } from "./valueTypes.ts";

/** Decodes a value from wire format. Bytes stay as they are. */
export function decode(value: JsonValue | undefined): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) {
    if (typeof value.__op === "string") return opFromJSON(value, decode);
    const decoded = typeof value.__type === "string" && decodeTyped(value);
    if (decoded) return decoded;
  }
  return mapChildren(value, decode);
}

/** Undefined for values that do not match their type. */
function decodeTyped(value: JsonObject): object | undefined {
  const { __type, className } = value;
  const name = typeof className === "string" ? className : undefined;
  switch (__type) {
    case "Pointer":
    case "Object":
      return name === undefined ? undefined : objects().fromJSON(value);
    case "Relation":
      return new Relation(undefined, undefined, name);
    case "Date":
      return isWireDate(value) ? new Date(timeOf(value)) : undefined;
    default:
      return decodeValue(value);
  }
}
