import type { FieldTypeName } from "@purse/protocol";
import { validateRegex } from "../../core/regex.ts";
import type { ClassSchema } from "../classSchema.ts";
import { columnTakes } from "../sql/columns.ts";
import type { Dialect, OperandType, ValueExpression } from "../sql/dialect.ts";
import { languageOf, parseSearchTerms, removeAccents } from "../sql/textSearch.ts";
import { aclToken } from "./aclColumns.ts";
import { traverse } from "./arrayTraversal.ts";
import { documentPattern, MAX_SEARCHED_BYTES } from "./documentPattern.ts";
import { quoteIdentifier } from "./identifier.ts";

/** Formats a path as `$.a.b`. Segments are validated names, so quoting is sufficient. Numbers may index an array. */
export function jsonPath(path: readonly string[]): string {
  const [field = "", ...rest] = path;
  return `'$.${field}${rest.map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `."${segment}"`)).join("")}'`;
}

/** Returns the value at a path as SQL value: text, number, or JSON text; NULL if it is missing. */
export function valueAt(path: readonly string[], source = "doc"): string {
  return path.length === 0 ? source : `json_extract(${source}, ${jsonPath(path)})`;
}

/**
 * Creates the expressions of a JSON value from SQL expressions of its value, type and keys. `isTypeKnown` is true if
 * the schema guarantees its type.
 */
function jsonExpression(
  value: string,
  type: string,
  valueOfKey: (key: string) => string,
  isTypeKnown: (type: FieldTypeName) => boolean,
): ValueExpression {
  /** SQLite returns objects and arrays as text, and booleans as numbers. */
  const withTypeCheck = (kind: "string" | "number", test: string) => {
    if (isTypeKnown(kind === "string" ? "String" : "Number")) return test;
    return `(${type} ${kind === "string" ? "= 'text'" : "IN ('integer','real')"} AND ${test})`;
  };
  /** Objects of clients may have the keys of a pointer, date or file without being one. */
  const ofType = (name: "Pointer" | "Date" | "File", test: string) =>
    isTypeKnown(name) ? `(${test})` : `(${valueOfKey("__type")} = '${name}' AND ${test})`;
  const isInList = (expression: string) => `${expression} IN (SELECT value FROM json_each(?))`;
  return {
    isNull: `${value} IS NULL`,
    exists: `${type} IS NOT NULL`,
    isArray: `${type} = 'array'`,
    equals(kind: OperandType) {
      switch (kind) {
        case "null":
          return `${value} IS NULL`;
        case "boolean":
          return `${type} = ?`;
        case "date":
          return ofType("Date", `${valueOfKey("iso")} = ?`);
        case "pointer":
          return ofType("Pointer", `${valueOfKey("className")} = ? AND ${valueOfKey("objectId")} = ?`);
        case "file":
          return ofType("File", `${valueOfKey("name")} = ?`);
        case "json":
          return `purse_json_equal(${value}, ?)`;
        default:
          return withTypeCheck(kind, `${value} = ?`);
      }
    },
    isIn(kind: OperandType) {
      switch (kind) {
        case "boolean":
          return isInList(type);
        case "date":
          return ofType("Date", isInList(valueOfKey("iso")));
        case "pointer":
          return ofType("Pointer", `${valueOfKey("className")} = ? AND ${isInList(valueOfKey("objectId"))}`);
        case "file":
          return ofType("File", isInList(valueOfKey("name")));
        case "json":
          return `EXISTS (SELECT 1 FROM json_each(?) AS operand WHERE purse_json_equal(${value}, operand.value))`;
        case "null":
          return `${value} IS NULL`;
        default:
          return withTypeCheck(kind, isInList(value));
      }
    },
    compares(operator, kind) {
      if (kind === "boolean") return `(${type} IN ('true','false') AND ${type} ${operator} ?)`;
      if (kind === "date") return ofType("Date", `${valueOfKey("iso")} ${operator} ?`);
      return withTypeCheck(kind, `${value} ${operator} ?`);
    },
    matches: () => withTypeCheck("string", `purse_regex(?, ?, ${value})`),
    between: () => withTypeCheck("string", `(${value} >= ? AND ${value} < ?)`),
    pointsInto: (select) =>
      ofType("Pointer", `${valueOfKey("className")} = ? AND ${valueOfKey("objectId")} IN (${select})`),
    idIn: (select) => `${valueOfKey("objectId")} IN (${select})`,
    isInResult: (select) => `${value} IN (${select})`,
  };
}

/** Creates the expressions of a text column; operands of other types never equal it. */
function columnExpression(name: string): ValueExpression {
  return {
    isNull: "FALSE",
    exists: "TRUE",
    isArray: "FALSE",
    equals(type) {
      if (type === "null") return "FALSE";
      if (type === "pointer") return "(? IS NULL AND ? IS NULL)";
      return columnTakes(name, type) ? `${name} = ?` : "? IS NULL";
    },
    isIn(type) {
      if (type === "null") return "FALSE";
      if (type === "pointer") return "(? IS NULL AND ? IS NULL)";
      return columnTakes(name, type) ? `${name} IN (SELECT value FROM json_each(?))` : "? IS NULL";
    },
    compares: (operator, type) => (columnTakes(name, type) ? `${name} ${operator} ?` : "? IS NULL"),
    matches: () => `purse_regex(?, ?, ${name})`,
    between: () => `(${name} >= ? AND ${name} < ?)`,
    pointsInto: (select) => `(? IS NULL AND ${name} IN (${select}))`,
    idIn: (select) => `${name} IN (${select})`,
    isInResult: (select) => `${name} IN (${select})`,
  };
}

function fieldExpression(path: readonly string[], type: FieldTypeName | undefined): ValueExpression {
  return jsonExpression(
    valueAt(path),
    `json_type(doc, ${jsonPath(path)})`,
    (key) => valueAt([...path, key]),
    (known) => type === known,
  );
}

/**
 * Tests all values in a single pass over the items, regardless of their number. SQLite returns booleans as numbers, and
 * objects and arrays as text.
 */
function rowsContainAll(tables: string): string {
  const isFound = "item.type IN ('text','integer','real') AND item.value IN (SELECT value FROM json_each(?))";
  return `(SELECT count(DISTINCT item.value) FROM ${tables} WHERE ${isFound}) = ?`;
}

/** Dialect for statements without limits. Statements of requests use the dialects of interruptCheck.ts. */
export const sqliteDialect: Dialect = {
  interruptCheck: "",
  relationInterruptCheck: "",
  selectPage: (columns, table, rest) => `SELECT ${columns} FROM ${table} ${rest}`,
  // Readers limit the size of results themselves.
  pageParameters: () => [],
  identifier: quoteIdentifier,
  column: columnExpression,
  field: (path, declared) => fieldExpression(path, declared?.type),
  mayHave(field, operand) {
    const parameter = documentPattern(field, operand);
    if (parameter === undefined) return undefined;
    return { test: `(octet_length(doc) > ${MAX_SEARCHED_BYTES} OR doc GLOB ?)`, parameter };
  },
  item: jsonExpression(
    "item.value",
    "item.type",
    (key) => `CASE item.type WHEN 'object' THEN json_extract(item.value, ${jsonPath([key])}) END`,
    () => false,
  ),
  anyItem: (path, test) =>
    `EXISTS (SELECT 1 FROM json_each(doc, ${jsonPath(path)}) AS item WHERE json_type(doc, ${jsonPath(path)}) = 'array' AND ${test})`,
  anyItemOrValue(path, test) {
    const type = `json_type(doc, ${jsonPath(path)})`;
    const value = `(doc -> ${jsonPath(path)})`;
    const items = `json_each(CASE ${type} WHEN 'array' THEN ${value} ELSE json_array(${value}) END)`;
    return `(${type} IS NOT NULL AND EXISTS (SELECT 1 FROM ${items} AS item WHERE ${test}))`;
  },
  arrayContains: () => undefined,
  arrayContainsAll: (path) => rowsContainAll(`json_each(doc, ${jsonPath(path)}) AS item`),
  arrayContainsAllParameters: (values) => [JSON.stringify(values), new Set(values).size],
  traverse,
  rowsContainAll,
  equalsOrContains: (path) => `purse_is_or_holds(${valueAt(path)}, json_type(doc, ${jsonPath(path)}), ?)`,
  everyItem: (path, test) =>
    `NOT EXISTS (SELECT 1 FROM json_each(doc, ${jsonPath(path)}) AS item WHERE (${test}) IS NOT TRUE)`,
  orderKeys(path, type) {
    if (type === "Date") return [valueAt([...path, "iso"])];
    if (type === "Pointer") return [valueAt([...path, "objectId"])];
    return [valueAt(path)];
  },
  direction: (descending) => (descending ? " DESC" : ""),
  pattern(source, flags) {
    validateRegex(source, flags);
    return [source, flags];
  },
  comparable: (path) => valueAt(path),
  listable: (path) => `(doc -> ${jsonPath(path)}) AS value`,
  itemsOf: (select) =>
    `SELECT item.value FROM (${select}) AS found, json_each(CASE json_type(found.value) WHEN 'array' THEN found.value ELSE json_array(json(found.value)) END) AS item`,
  comparableColumn: (name) => name,
  json: (path) => `(doc -> ${jsonPath(path)})`,
  quote: (value) => `json_quote(${value})`,
  // There are no typed columns.
  quoteTyped: (value) => `json_quote(${value})`,
  row: (json, numbers) => `json_array(${[...json.map((text) => `json(${text})`), ...numbers].join(", ")})`,
  number: (path) => valueAt(path),
  // `sum` fails if a sum of integers has more than 64 bits.
  sum: (number) => `total(${number})`,
  least: (a, b) => `min(${a}, ${b})`,
  inPolygon: (latitude, longitude) => `purse_polygon_holds(?, ${latitude}, ${longitude})`,
  polygonContains: (path) => `purse_polygon_holds(${valueAt([...path, "coordinates"])}, ?, ?)`,
  textMatches: (schema, field) => {
    const index = quoteIdentifier(textIndexName(schema, field));
    return `seq IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ?)`;
  },
  textScore: (schema, field) => {
    const index = quoteIdentifier(textIndexName(schema, field));
    return `(SELECT -bm25(${index}) FROM ${index} WHERE ${index} MATCH ? AND rowid = seq)`;
  },
  textQuery(search) {
    const { words, phrases, excluded } = parseSearchTerms(removeAccents(search.term));
    const text = (parts: string[], separator: string) =>
      parts.map((valueOfKey) => `"${valueOfKey.replaceAll('"', '""')}"`).join(separator);
    // If there are phrases, they must all match, and the words do not matter.
    const required = phrases.length > 0 ? text(phrases, " AND ") : text(words, " OR ");
    if (required === "") return '""';
    return excluded.length > 0 ? `(${required}) NOT (${text(excluded, " OR ")})` : required;
  },
  textShape: (search) => (languageOf(search) === "" ? "" : "indexed"),
  document: "doc",
  documentWithScore: (score) => `json_set(doc, '$.score', ${score})`,
  subject: aclToken,
  aclContains: (column) => `instr(${column}, ?) > 0`,
  // Most ACLs have a single entry and are looked up directly; only longer ones are parsed.
  aclContainsAny: (column) =>
    `(${column} IN (SELECT value FROM json_each(?)) OR (${column} LIKE '|%|%|' AND purse_acl_holds(?, ${column})))`,
  subjects(names) {
    const text = subjectsJson.get(names) ?? JSON.stringify(names.map(aclToken));
    subjectsJson.set(names, text);
    return [text, text];
  },
  textIn: (value) => `${value} IN (SELECT value FROM json_each(?))`,
};

/** Subject lists are reused while the client is the same, so their JSON is cached. */
const subjectsJson = new WeakMap<readonly string[], string>();

/** Returns the name of the full-text index of a field. */
export function textIndexName(schema: ClassSchema, field: string): string {
  return `${schema.table}/text/${field}`;
}
