import { PipelineError } from "./pipelineError.ts";
import { Document, pointerText, type Value } from "./values.ts";

/** Names that clients and MongoDB have for fields of documents. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  objectId: "_id",
  _created_at: "createdAt",
  _updated_at: "updatedAt",
};
/** Begins the name of the column in which MongoDB has a pointer as text. */
const POINTER_COLUMN = "_p_";

/** Returns the name that a field has in documents of pipelines. */
export function documentField(name: string): string {
  return Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? name) : name;
}

/** Returns the field of which a name is the MongoDB column: `author` for `_p_author`. */
export function pointerField(name: string): string | undefined {
  return name.startsWith(POINTER_COLUMN) && name.length > POINTER_COLUMN.length
    ? name.slice(POINTER_COLUMN.length)
    : undefined;
}

/** Returns the name under which a document has a field that may be called by one of its other names. */
export function nameWithin(document: Document, name: string): string {
  if (document[name] !== undefined || !(name.startsWith("_") || name === "objectId")) return name;
  const other = pointerField(name) ?? documentField(name);
  return document[other] === undefined ? name : other;
}

type ReadField = (document: Document) => Value;

/** Returns a function that reads a field, also by one of its other names. `_p_author` is the text of the pointer. */
function fieldReader(name: string): ReadField {
  const pointer = pointerField(name);
  if (pointer !== undefined) return (document) => document[name] ?? pointerText(document[pointer]);
  const other = documentField(name);
  if (other === name) return (document) => document[name];
  return (document) => document[name] ?? document[other];
}

/** Splits a path of fields. Throws for an invalid one. */
export function splitPath(path: string): string[] {
  const names = path.split(".");
  if (names.some((name) => name === "" || name.startsWith("$") || name.includes("\0"))) {
    throw new PipelineError(`invalid path of fields: ${path.slice(0, 100)}`);
  }
  return names;
}

/**
 * Returns a function that reads a path as expressions do: after an array, the path is read from each item that is an
 * object, and numbers are no indexes.
 */
export function pathReader(names: readonly string[]): (value: Value) => Value {
  const readers = names.map(fieldReader);
  const [first] = readers;
  if (first && readers.length === 1) {
    return (value) => (value instanceof Document ? first(value) : readFrom(value, readers, 0));
  }
  return (value) => readFrom(value, readers, 0);
}

function readFrom(value: Value, readers: readonly ReadField[], at: number): Value {
  const read = readers[at];
  if (!read) return value;
  if (value instanceof Document) return readFrom(read(value), readers, at + 1);
  if (!Array.isArray(value)) return undefined;
  const found: Value[] = [];
  for (const item of value) {
    if (!(item instanceof Document)) continue;
    const each = readFrom(item, readers, at);
    if (each !== undefined) found.push(each);
  }
  return found;
}
