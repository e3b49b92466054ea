import type { FieldTypeName, TextSearch } from "@purse/protocol";
import type { Cell, Dialect, OperandType } from "../sql/dialect.ts";
import { languageOf, searchWords, withoutAccents } from "../sql/textSearch.ts";
import { postgresPattern } from "./regex.ts";

/** Names are checked, paths too: no segment holds a quote, a comma or a brace. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The value at a path as jsonb. */
function jsonAt(path: readonly string[], source = "doc"): string {
  return path.length === 1 ? `(${source} -> '${path[0]}')` : `(${source} #> '{${path.join()}}')`;
}

/** The value at a path as text, in the order of its bytes as everywhere else. */
export function textAt(path: readonly string[], source = "doc"): string {
  const text = path.length === 1 ? `${source} ->> '${path[0]}'` : `${source} #>> '{${path.join()}}'`;
  return `((${text}) COLLATE "C")`;
}

/** The value at a path where it is of a kind, NULL otherwise. */
function guardedAt(json: string, kind: "string" | "number" | "boolean"): string {
  if (kind === "number") return `(CASE jsonb_typeof(${json}) WHEN 'number' THEN ${json}::float8 END)`;
  return `((CASE jsonb_typeof(${json}) WHEN '${kind}' THEN ${json} #>> '{}' END) COLLATE "C")`;
}

export function numberAt(path: readonly string[]): string {
  return guardedAt(jsonAt(path), "number");
}

const LIST = "jsonb_array_elements(?::text::jsonb)";
const TEXTS = "ARRAY(SELECT jsonb_array_elements_text(?::text::jsonb))";
const NUMBERS = "ARRAY(SELECT jsonb_array_elements_text(?::text::jsonb)::float8)";

/** A cell of a jsonb value; `part` is the text of a key of it, `text` its text where its type is declared. */
function cellOf(json: string, part: (key: string) => string, declaredText: string | undefined): Cell {
  const text = declaredText ?? guardedAt(json, "string");
  const number = guardedAt(json, "number");
  const boolean = guardedAt(json, "boolean");
  return {
    isNull: `(${json} IS NULL OR jsonb_typeof(${json}) = 'null')`,
    exists: `${json} IS NOT NULL`,
    isArray: `jsonb_typeof(${json}) = 'array'`,
    equals(type: OperandType) {
      switch (type) {
        case "null":
          return `(${json} IS NULL OR jsonb_typeof(${json}) = 'null')`;
        case "string":
          return declaredText ? `${text} = ?` : `${json} = to_jsonb(?::text)`;
        case "number":
          return `${number} = ?`;
        case "boolean":
        case "json":
          return `${json} = ?::text::jsonb`;
        case "date":
          return `${part("iso")} = ?`;
        case "pointer":
          return `(${part("className")} = ? AND ${part("objectId")} = ?)`;
        case "file":
          return `${part("name")} = ?`;
      }
    },
    isIn(type: OperandType) {
      switch (type) {
        case "string":
          return `${text} = ANY(${TEXTS})`;
        case "number":
          return `${number} = ANY(${NUMBERS})`;
        case "boolean":
          return `${boolean} = ANY(${TEXTS})`;
        case "date":
          return `${part("iso")} = ANY(${TEXTS})`;
        case "pointer":
          return `(${part("className")} = ? AND ${part("objectId")} = ANY(${TEXTS}))`;
        case "file":
          return `${part("name")} = ANY(${TEXTS})`;
        default:
          return `${json} IN (SELECT ${LIST})`;
      }
    },
    compares(operator, type) {
      switch (type) {
        case "string":
          return `${text} ${operator} ?`;
        case "number":
          return `${number} ${operator} ?`;
        case "boolean":
          return `${boolean} ${operator} ?`;
        case "date":
          return `${part("iso")} ${operator} ?`;
      }
    },
    fits: () => `${text} ~ ?`,
    between: () => `(${text} >= ? AND ${text} < ?)`,
    pointsInto: (select) => `(${part("className")} = ? AND ${part("objectId")} IN (${select}))`,
    idIn: (select) => `${part("objectId")} IN (${select})`,
    isAmong: (select) => `${json} IN (${select})`,
  };
}

function columnCell(name: string): Cell {
  const unfit = "CAST(? AS text) IS NULL";
  return {
    isNull: "FALSE",
    exists: "TRUE",
    isArray: "FALSE",
    equals: (type) =>
      type === "null" ? "FALSE" : type === "pointer" ? `(${unfit} AND ${unfit})` : `${name} = ?::text`,
    isIn: (type) => (type === "pointer" ? `(${unfit} AND ${unfit})` : `${name} = ANY(${TEXTS})`),
    compares: (operator) => `${name} ${operator} ?::text`,
    fits: () => `${name} ~ ?`,
    between: () => `(${name} >= ? AND ${name} < ?)`,
    pointsInto: (select) => `(${unfit} AND ${name} IN (${select}))`,
    idIn: (select) => `${name} IN (${select})`,
    isAmong: (select) => `to_jsonb(${name}) IN (${select})`,
  };
}

function fieldCell(path: readonly string[], type: FieldTypeName | undefined): Cell {
  return cellOf(jsonAt(path), (key) => textAt([...path, key]), type === "String" ? textAt(path) : undefined);
}

function items(path: readonly string[]): string {
  const json = jsonAt(path);
  return `jsonb_array_elements(CASE jsonb_typeof(${json}) WHEN 'array' THEN ${json} END) AS item(value)`;
}

function polygonOf(json: string): string {
  const points = "string_agg('(' || (point ->> 0) || ',' || (point ->> 1) || ')', ',' ORDER BY place)";
  return `(SELECT ('(' || ${points} || ')')::polygon FROM jsonb_array_elements(${json}) WITH ORDINALITY AS corner(point, place))`;
}

/** What a text index holds of a field: its words without accents. */
export function textVector(field: string, language: string): string {
  return `to_tsvector('${language}', purse_without_accents(doc ->> '${field}'))`;
}

function textTest(field: string, search: TextSearch): { vector: string; query: string } {
  const language = languageOf(search);
  return { vector: textVector(field, language), query: `websearch_to_tsquery('${language}', ?)` };
}

export const postgresDialect: Dialect = {
  // Statements end by statement_timeout.
  checkpoint: "",
  relationCheckpoint: "",
  // What is larger than there is room for does not leave the database: the sizes say how much that is.
  // The objects of a page become text once, and after they have been sorted and limited: all others stay unread, however
  // large they are. OFFSET 0 keeps the planner from moving that into the parts around it.
  page: (what, table, rest) =>
    `SELECT CASE WHEN size <= ? THEN text END, size FROM (
      SELECT text, sum(octet_length(text)) OVER (ROWS UNBOUNDED PRECEDING) AS size
      FROM (SELECT ${what} AS text FROM (SELECT doc FROM ${table} ${rest}) AS found OFFSET 0) AS page) AS sized`,
  pageParameters: (maxChars) => [maxChars],
  identifier: quoted,
  column: columnCell,
  field: fieldCell,
  item: cellOf("item.value", (key) => `((item.value ->> '${key}') COLLATE "C")`, undefined),
  anyItem: (path, test) => `EXISTS (SELECT 1 FROM ${items(path)} WHERE ${test})`,
  arrayHolds(path, type) {
    const json = jsonAt(path);
    switch (type) {
      case "string":
        return `${json} @> jsonb_build_array(?::text)`;
      case "number":
        return `${json} @> jsonb_build_array(?::float8)`;
      case "boolean":
        return `${json} @> jsonb_build_array(?::text::boolean)`;
      case "pointer":
        return `${json} @> jsonb_build_array(jsonb_build_object('className', ?::text, 'objectId', ?::text))`;
      default:
        return undefined;
    }
  },
  arrayHoldsAll: (path) => `${jsonAt(path)} @> ?::text::jsonb`,
  allValues: (values) => [JSON.stringify(values)],
  isOrHolds: (path, type) => `${jsonAt(path)} @> to_jsonb(?::${type === "string" ? "text" : "float8"})`,
  everyItem: (path, test) => `NOT EXISTS (SELECT 1 FROM ${items(path)} WHERE (${test}) IS NOT TRUE)`,
  orderKeys(path, type) {
    switch (type) {
      case "String":
      case "Boolean":
        return [textAt(path)];
      case "Number":
        return [numberAt(path)];
      case "Date":
        return [textAt([...path, "iso"])];
      case "Pointer":
        return [textAt([...path, "objectId"])];
      default:
        return [numberAt(path), guardedAt(jsonAt(path), "string")];
    }
  },
  // As in the other databases, what is missing comes first.
  direction: (descending) => (descending ? " DESC NULLS LAST" : " NULLS FIRST"),
  pattern: (source, flags) => [postgresPattern(source, flags)],
  comparable: jsonAt,
  comparableColumn: (name) => `to_jsonb(${name})`,
  json: (path) => `(${jsonAt(path)})::text`,
  quote: (value) => `coalesce(to_jsonb(${value}), 'null')::text`,
  row: (json, numbers) =>
    `jsonb_build_array(${[...json.map((text) => `(${text})::jsonb`), ...numbers].join(", ")})::text`,
  number: numberAt,
  smaller: (a, b) => `least(${a}, ${b})`,
  inPolygon: (latitude, longitude) => `${polygonOf("?::text::jsonb")} @> point(${latitude}, ${longitude})`,
  polygonHolds(path) {
    const corners = jsonAt([...path, "coordinates"]);
    return `(CASE jsonb_typeof(${corners}) WHEN 'array' THEN ${polygonOf(corners)} END) @> point(?, ?)`;
  },
  textFits(_schema, field, search) {
    const { vector, query } = textTest(field, search);
    return `${vector} @@ ${query}`;
  },
  textScore(_schema, field, search) {
    const { vector, query } = textTest(field, search);
    return `ts_rank(${vector}, ${query})::float8`;
  },
  textQuery(search) {
    const { words, phrases, excluded } = searchWords(withoutAccents(search.term));
    const without = excluded.map((word) => ` -"${word}"`).join("");
    if (phrases.length > 0) return `${phrases.map((phrase) => `"${phrase}"`).join(" ")}${without}`;
    return words.map((word) => `"${word}"${without}`).join(" or ");
  },
  textShape: languageOf,
  document: "doc::text",
  documentWithScore: (score) => `(doc || jsonb_build_object('score', ${score}))::text`,
  principal: (name) => name,
  aclHolds: (column) => `? = ANY(${column})`,
  aclHoldsAny: (column) => `${column} && ${TEXTS}`,
  principals: (names) => [JSON.stringify(names)],
  textIn: (value) => `${value} = ANY(${TEXTS})`,
};

/** The same without a bound for pages: for explanations. */
export const plainDialect: Dialect = {
  ...postgresDialect,
  page: (what, table, rest) => `SELECT ${what} FROM ${table} ${rest}`,
  pageParameters: () => [],
};
