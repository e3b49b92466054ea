import { isJsonObject, isWireDate, type JsonObject, type JsonValue } from "@purse/protocol";
import { Decimal128 } from "./decimal128.ts";
import { PipelineError } from "./pipelineError.ts";
import { Document, pointerText, type Value } from "./values.ts";

/** Objects of the wire format have these as plain text. */
const TIMES: ReadonlySet<string> = new Set(["createdAt", "updatedAt"]);
/** Nesting depth of results; a pipeline can nest values deeper than clients. */
const MAX_RESULT_DEPTH = 200;

/** Converts the JSON text of an object to a document: with `_id` and dates. */
export function toDocument(text: string): Document {
  const object: JsonObject = JSON.parse(text);
  const document = new Document();
  if (object.objectId !== undefined) document._id = toValue(object.objectId);
  for (const name in object) {
    const value = object[name] ?? null;
    if (name === "objectId") continue;
    document[name] = TIMES.has(name) && typeof value === "string" ? new Date(value) : toValue(value);
  }
  return document;
}

/** Converts a value in wire format. Objects keep their keys, also `objectId`. */
export function toValue(value: JsonValue): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toValue);
  if (isWireDate(value)) return new Date(value.iso);
  const document = new Document();
  for (const name in value) document[name] = toValue(value[name] ?? null);
  return document;
}

/**
 * Converts a result of a pipeline to JSON text in wire format. Numbers have all their digits, also those that a double
 * cannot hold.
 */
export function toResultText(document: Document): string {
  const members: string[] = [];
  if (document._id !== undefined) members.push(`"objectId":${groupIdText(document._id)}`);
  for (const name in document) {
    const value = document[name];
    if (value === undefined || name === "_id") continue;
    const pointer = name.startsWith("_p_") ? pointerFrom(value) : undefined;
    members.push(
      pointer === undefined
        ? memberText(name, value, true, 1)
        : memberText(name.slice("_p_".length), pointer, true, 1),
    );
  }
  return `{${members.join()}}`;
}

/** The id of a group: empty texts, lists and objects are null, and pointers their ids, as in Parse Server. */
function groupIdText(id: Value): string {
  if (id === "" || (Array.isArray(id) && id.length === 0)) return "null";
  if (!(id instanceof Document) || pointerText(id) !== undefined) return valueText(idOf(id), 1);
  const members = definedEntries(id).map(([name, value]) => memberText(name, idOf(value), false, 2));
  return members.length === 0 ? "null" : `{${members.join()}}`;
}

/** Returns the id of a pointer, and other values as they are. */
function idOf(value: Value): Value {
  return value instanceof Document && pointerText(value) !== undefined ? value.objectId : value;
}

/** Returns the pointer that MongoDB stores as `Class$id`. */
function pointerFrom(value: Value): Document | undefined {
  const separator = typeof value === "string" ? value.indexOf("$") : -1;
  if (typeof value !== "string" || separator <= 0) return undefined;
  return Object.assign(new Document(), {
    __type: "Pointer",
    className: value.slice(0, separator),
    objectId: value.slice(separator + 1),
  });
}

/** The members of an object that are not missing. */
function definedEntries(document: Document): [string, Value][] {
  return Object.entries(document).filter(([, value]) => value !== undefined);
}

/** Returns a member of an object as JSON. */
function memberText(name: string, value: Value, isOfObject: boolean, depth: number): string {
  const isTime = isOfObject && value instanceof Date && TIMES.has(name);
  return `${JSON.stringify(name)}:${isTime ? JSON.stringify(isoText(value)) : valueText(value, depth)}`;
}

function valueText(value: Value, depth: number): string {
  switch (typeof value) {
    case "undefined":
      return "null";
    case "number":
      return Number.isFinite(value) ? String(value) : "null";
    case "object":
      break;
    default:
      return typeof value === "string" ? JSON.stringify(value) : String(value);
  }
  if (value === null) return "null";
  if (value instanceof Date) return `{"__type":"Date","iso":${JSON.stringify(isoText(value))}}`;
  if (value instanceof Decimal128) return value.isFinite ? value.toString() : "null";
  if (depth > MAX_RESULT_DEPTH) {
    throw new PipelineError(`a result nests deeper than ${MAX_RESULT_DEPTH} levels`);
  }
  if (Array.isArray(value)) return `[${value.map((item) => valueText(item, depth + 1)).join()}]`;
  // A document with an id is an object of another class, which a stage has looked up.
  const isObject = value._id !== undefined && value.objectId === undefined;
  const members = definedEntries(value).map(([name, inner]) =>
    memberText(isObject && name === "_id" ? "objectId" : name, inner, isObject, depth + 1),
  );
  return `{${members.join()}}`;
}

/** Formats a date as ISO text. Throws if no such text exists. */
export function isoText(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new PipelineError("a date is out of range");
  return date.toISOString();
}

/** Whether a JSON value stands for a value of its own: a date, pointer, file, … */
export function isTypedJson(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && typeof value.__type === "string";
}
