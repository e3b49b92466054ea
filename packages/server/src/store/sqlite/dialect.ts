import type { FieldTypeName } from "@purse/protocol";
import type { ClassSchema } from "../../schema/classSchema.ts";
import { compileRegex } from "../regex.ts";
import type { Cell, Dialect, OperandType } from "../sql/dialect.ts";
import { languageOf, searchWords, withoutAccents } from "../sql/textSearch.ts";

/** `$.a.b`; segments are checked names, so that quoting is enough. Digits may index an array. */
export function jsonPath(path: readonly string[]): string {
  const [field = "", ...rest] = path;
  return `'$.${field}${rest.map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `."${segment}"`)).join("")}'`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The value at a path as SQL value: text, number, or JSON text; NULL where there is none. */
export function valueAt(path: readonly string[], source = "doc"): string {
  return path.length === 0 ? source : `json_extract(${source}, ${jsonPath(path)})`;
}

/** A cell whose value, type and parts are SQL expressions. `trusted` says that its type is the operand's. */
function cellOf(
  value: string,
  type: string,
  part: (key: string) => string,
  trusts: (kind: "text" | "number") => boolean,
): Cell {
  const guarded = (kind: "text" | "number", test: string) => {
    if (trusts(kind)) return test;
    const kinds = kind === "text" ? "typeof(@) = 'text'" : "typeof(@) IN ('integer','real')";
    return `(${kinds.replace("@", value)} AND ${test})`;
  };
  const listed = (tested: string) => `${tested} IN (SELECT value FROM json_each(?))`;
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
          return `${part("iso")} = ?`;
        case "pointer":
          return `(${part("className")} = ? AND ${part("objectId")} = ?)`;
        case "file":
          return `${part("name")} = ?`;
        case "json":
          return `purse_json_equal(${value}, ?)`;
        default:
          return `${value} = ?`;
      }
    },
    isIn(kind: OperandType) {
      switch (kind) {
        case "boolean":
          return listed(type);
        case "date":
          return listed(part("iso"));
        case "pointer":
          return `(${part("className")} = ? AND ${listed(part("objectId"))})`;
        case "file":
          return listed(part("name"));
        case "json":
          return `EXISTS (SELECT 1 FROM json_each(?) AS operand WHERE purse_json_equal(${value}, operand.value))`;
        default:
          return listed(value);
      }
    },
    compares(operator, kind) {
      if (kind === "boolean") return `(${type} IN ('true','false') AND ${type} ${operator} ?)`;
      if (kind === "date") return `${part("iso")} ${operator} ?`;
      return guarded(kind === "string" ? "text" : "number", `${value} ${operator} ?`);
    },
    fits: () => guarded("text", `purse_regex(?, ?, ${value})`),
    between: () => guarded("text", `(${value} >= ? AND ${value} < ?)`),
    pointsInto: (select) => `(${part("className")} = ? AND ${part("objectId")} IN (${select}))`,
    idIn: (select) => `${part("objectId")} IN (${select})`,
    isAmong: (select) => `${value} IN (${select})`,
  };
}

/** A column of text; what is no text is never equal to it. */
function columnCell(name: string): Cell {
  return {
    isNull: "FALSE",
    exists: "TRUE",
    isArray: "FALSE",
    equals: (type) =>
      type === "null" ? "FALSE" : type === "pointer" ? "(? IS NULL AND ? IS NULL)" : `${name} = ?`,
    isIn: (type) =>
      type === "pointer" ? "(? IS NULL AND ? IS NULL)" : `${name} IN (SELECT value FROM json_each(?))`,
    compares: (operator) => `${name} ${operator} ?`,
    fits: () => `purse_regex(?, ?, ${name})`,
    between: () => `(${name} >= ? AND ${name} < ?)`,
    pointsInto: (select) => `(? IS NULL AND ${name} IN (${select}))`,
    idIn: (select) => `${name} IN (${select})`,
    isAmong: (select) => `${name} IN (${select})`,
  };
}

function fieldCell(path: readonly string[], type: FieldTypeName | undefined): Cell {
  return cellOf(
    valueAt(path),
    `json_type(doc, ${jsonPath(path)})`,
    (key) => valueAt([...path, key]),
    (kind) => type === (kind === "text" ? "String" : "Number"),
  );
}

/** For statements without bounds; those that answer requests are made by the dialects of checkpoint.ts. */
export const sqliteDialect: Dialect = {
  checkpoint: "",
  relationCheckpoint: "",
  page: (what, table, rest) => `SELECT ${what} FROM ${table} ${rest}`,
  // Readers count for themselves.
  pageParameters: () => [],
  identifier: quoted,
  column: columnCell,
  field: fieldCell,
  item: cellOf(
    "item.value",
    "item.type",
    (key) => `CASE item.type WHEN 'object' THEN json_extract(item.value, ${jsonPath([key])}) END`,
    () => false,
  ),
  anyItem: (path, test) =>
    `EXISTS (SELECT 1 FROM json_each(doc, ${jsonPath(path)}) AS item WHERE json_type(doc, ${jsonPath(path)}) = 'array' AND ${test})`,
  arrayHolds: () => undefined,
  // One pass over the array, however many values it has to hold.
  arrayHoldsAll: (path) =>
    `(SELECT count(DISTINCT item.value) FROM json_each(doc, ${jsonPath(path)}) AS item WHERE item.value IN (SELECT value FROM json_each(?))) = ?`,
  allValues: (values) => [JSON.stringify(values), new Set(values).size],
  isOrHolds: (path) => `purse_is_or_holds(${valueAt(path)}, json_type(doc, ${jsonPath(path)}), ?)`,
  everyItem: (path, test) =>
    `NOT EXISTS (SELECT 1 FROM json_each(doc, ${jsonPath(path)}) AS item WHERE (${test}) IS NOT TRUE)`,
  orderKeys(path, type) {
    if (type === "Date") return [valueAt([...path, "iso"])];
    if (type === "Pointer") return [valueAt([...path, "objectId"])];
    return [valueAt(path)];
  },
  direction: (descending) => (descending ? " DESC" : ""),
  pattern(source, flags) {
    compileRegex(source, flags);
    return [source, flags];
  },
  comparable: (path) => valueAt(path),
  comparableColumn: (name) => name,
  json: (path) => `(doc -> ${jsonPath(path)})`,
  quote: (value) => `json_quote(${value})`,
  row: (json, numbers) => `json_array(${[...json.map((text) => `json(${text})`), ...numbers].join(", ")})`,
  number: (path) => valueAt(path),
  smaller: (a, b) => `min(${a}, ${b})`,
  inPolygon: (latitude, longitude) => `purse_polygon_holds(?, ${latitude}, ${longitude})`,
  polygonHolds: (path) => `purse_polygon_holds(${valueAt([...path, "coordinates"])}, ?, ?)`,
  textFits: (schema, field) => {
    const index = quoted(textIndexName(schema, field));
    return `seq IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ?)`;
  },
  textScore: (schema, field) => {
    const index = quoted(textIndexName(schema, field));
    return `(SELECT -bm25(${index}) FROM ${index} WHERE ${index} MATCH ? AND rowid = seq)`;
  },
  textQuery(search) {
    const { words, phrases, excluded } = searchWords(withoutAccents(search.term));
    const text = (parts: string[], between: string) =>
      parts.map((part) => `"${part.replaceAll('"', '""')}"`).join(between);
    // A phrase must be there, so that the words beside it decide nothing.
    const asked = phrases.length > 0 ? text(phrases, " AND ") : text(words, " OR ");
    if (asked === "") return '""';
    return excluded.length > 0 ? `(${asked}) NOT (${text(excluded, " OR ")})` : asked;
  },
  textShape: (search) => (languageOf(search) === "" ? "" : "indexed"),
  document: "doc",
  documentWithScore: (score) => `json_set(doc, '$.score', ${score})`,
  principal: (name) => `|${name}|`,
  aclHolds: (column) => `instr(${column}, ?) > 0`,
  // Most ACLs name one: those are looked up, and only longer ones taken apart.
  aclHoldsAny: (column) =>
    `(${column} IN (SELECT value FROM json_each(?)) OR (${column} LIKE '|%|%|' AND purse_acl_holds(?, ${column})))`,
  principals(names) {
    const text = principalTexts.get(names) ?? JSON.stringify(names.map((name) => `|${name}|`));
    principalTexts.set(names, text);
    return [text, text];
  },
  textIn: (value) => `${value} IN (SELECT value FROM json_each(?))`,
};

/** Callers are kept while they are the same: so are their texts. */
const principalTexts = new WeakMap<readonly string[], string>();

/** The full-text index of a field. */
export function textIndexName(schema: ClassSchema, field: string): string {
  return `${schema.table}/text/${field}`;
}
