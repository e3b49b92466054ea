import type { FieldType, FieldTypeName, TextSearch } from "@purse/protocol";
import { columnTakes } from "../sql/columns.ts";
import type { Dialect, OperandType, ValueExpression } from "../sql/dialect.ts";
import { languageOf, parseSearchTerms, removeAccents } from "../sql/textSearch.ts";
import { traverse } from "./arrayTraversal.ts";
import { postgresPattern } from "./regex.ts";
import { typedColumnExpression } from "./typedColumnExpression.ts";
import {
  classNameLiteral,
  jsonAt,
  NUMBERS,
  numberAt,
  quoteIdentifier,
  TEXTS,
  textAt,
  typedValue,
} from "./valueExpressions.ts";

const LIST = "jsonb_array_elements(?::text::jsonb)";

/**
 * Creates the expressions of a jsonb value. `textOfKey` returns the text of one of its keys; `declared` is the type that
 * the schema declares; `declaredText` is its text if that is a string.
 */
function jsonExpression(
  json: string,
  textOfKey: (key: string) => string,
  declared: FieldTypeName | undefined,
  declaredText: string | undefined,
): ValueExpression {
  const text = declaredText ?? typedValue(json, "string");
  const number = typedValue(json, "number");
  const boolean = typedValue(json, "boolean");
  /** Objects of clients may have the keys of a pointer, date or file without being one. */
  const ofType = (name: "Pointer" | "Date" | "File", test: string) =>
    declared === name ? `(${test})` : `(${textOfKey("__type")} = '${name}' AND ${test})`;
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
          return ofType("Date", `${textOfKey("iso")} = ?`);
        case "pointer":
          return ofType("Pointer", `${textOfKey("className")} = ? AND ${textOfKey("objectId")} = ?`);
        case "file":
          return ofType("File", `${textOfKey("name")} = ?`);
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
          return ofType("Date", `${textOfKey("iso")} = ANY(${TEXTS})`);
        case "pointer":
          return ofType(
            "Pointer",
            `${textOfKey("className")} = ? AND ${textOfKey("objectId")} = ANY(${TEXTS})`,
          );
        case "file":
          return ofType("File", `${textOfKey("name")} = ANY(${TEXTS})`);
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
          return ofType("Date", `${textOfKey("iso")} ${operator} ?`);
      }
    },
    matches: () => `${text} ~ ?`,
    between: () => `(${text} >= ? AND ${text} < ?)`,
    pointsInto: (select) =>
      ofType("Pointer", `${textOfKey("className")} = ? AND ${textOfKey("objectId")} IN (${select})`),
    idIn: (select) => `${textOfKey("objectId")} IN (${select})`,
    isInResult: (select) => `${json} IN (${select})`,
  };
}

function columnExpression(name: string): ValueExpression {
  const unusedParameter = "CAST(? AS text) IS NULL";
  return {
    isNull: "FALSE",
    exists: "TRUE",
    isArray: "FALSE",
    equals(type) {
      if (type === "null") return "FALSE";
      if (type === "pointer") return `(${unusedParameter} AND ${unusedParameter})`;
      return columnTakes(name, type) ? `${name} = ?::text` : unusedParameter;
    },
    isIn(type) {
      if (type === "null") return "FALSE";
      if (type === "pointer") return `(${unusedParameter} AND ${unusedParameter})`;
      return columnTakes(name, type) ? `${name} = ANY(${TEXTS})` : unusedParameter;
    },
    compares: (operator, type) => (columnTakes(name, type) ? `${name} ${operator} ?::text` : unusedParameter),
    matches: () => `${name} ~ ?`,
    between: () => `(${name} >= ? AND ${name} < ?)`,
    pointsInto: (select) => `(${unusedParameter} AND ${name} IN (${select}))`,
    idIn: (select) => `${name} IN (${select})`,
    isInResult: (select) => `to_jsonb(${name}) IN (${select})`,
  };
}

function fieldExpression(
  path: readonly string[],
  declared: FieldType | undefined,
  column: string | undefined,
): ValueExpression {
  const type = declared?.type;
  const document = jsonExpression(
    jsonAt(path),
    (key) => textAt([...path, key]),
    type,
    type === "String" ? textAt(path) : undefined,
  );
  return declared && column !== undefined ? typedColumnExpression(column, declared, document) : document;
}

function items(path: readonly string[]): string {
  const json = jsonAt(path);
  return `jsonb_array_elements(CASE jsonb_typeof(${json}) WHEN 'array' THEN ${json} END) AS item(value)`;
}

/**
 * Whether a polygon of JSON contains a point of SQL, by the rule of `polygonContains`: longitudes are continued beyond 180
 * degrees where an edge crosses the antimeridian, and the point is then also looked for a turn further.
 */
function polygonContains(json: string, latitude: string, longitude: string): string {
  const corners = `SELECT place, point ->> 0 AS latitude, (point ->> 1)::float8 AS longitude,
      (point ->> 1)::float8 - lag((point ->> 1)::float8) OVER (ORDER BY place) AS step
    FROM jsonb_array_elements(${json}) WITH ORDINALITY AS corner(point, place)`;
  const turned = `SELECT place, latitude, longitude,
      sum(CASE WHEN abs(step) > 180 AND abs(step) < 360 THEN -360 * sign(step) ELSE 0 END)
        OVER (ORDER BY place) AS turn
    FROM (${corners}) AS corners`;
  const text = "string_agg('(' || latitude || ',' || (longitude + turn) || ')', ',' ORDER BY place)";
  const made = `SELECT ('(' || ${text} || ')')::polygon AS shape, bool_or(turn <> 0) AS crosses
    FROM (${turned}) AS turned`;
  return `(SELECT bool_or(shape @> point(${latitude}, ${longitude} + world.turn))
    FROM (${made}) AS made JOIN (VALUES (0), (360), (-360)) AS world(turn) ON made.crosses OR world.turn = 0)`;
}

/** A polygon of JSON whose edges do not cross the antimeridian. */
function polygonOf(json: string): string {
  const points = "string_agg('(' || (point ->> 0) || ',' || (point ->> 1) || ')', ',' ORDER BY place)";
  return `(SELECT ('(' || ${points} || ')')::polygon FROM jsonb_array_elements(${json}) WITH ORDINALITY AS corner(point, place))`;
}

/** Returns the indexed expression of a text field: its words without accents. */
export function textVector(field: string, language: string): string {
  return `to_tsvector('${language}', purse_without_accents(doc ->> '${field}'))`;
}

function textSearchSql(field: string, search: TextSearch): { vector: string; query: string } {
  const language = languageOf(search);
  return { vector: textVector(field, language), query: `websearch_to_tsquery('${language}', ?)` };
}

/** JSON text of an object with the given keys and values; `null` if the value is NULL. */
function wireObject(value: string, entries: string): string {
  return `CASE WHEN ${value} IS NULL THEN 'null' ELSE jsonb_build_object(${entries})::text END`;
}

export const postgresDialect: Dialect = {
  // Statements are canceled by statement_timeout instead.
  interruptCheck: "",
  relationInterruptCheck: "",
  // Rows beyond the limit are not transferred; only their sizes are, to compute the memory that the result needs.
  // Objects are converted to text once, after sorting and limiting, so that large objects outside of the page are not
  // read. OFFSET 0 prevents the planner from flattening the sub-query.
  selectPage: (columns, table, rest) =>
    `SELECT CASE WHEN size <= ? THEN text END, size FROM (
      SELECT text, sum(octet_length(text)) OVER (ROWS UNBOUNDED PRECEDING) AS size
      FROM (SELECT ${columns} AS text FROM (SELECT doc FROM ${table} ${rest}) AS found OFFSET 0) AS page) AS sized`,
  pageParameters: (maxChars) => [maxChars],
  identifier: quoteIdentifier,
  column: columnExpression,
  field: fieldExpression,
  // The documents are not stored as text.
  mayHave: () => undefined,
  item: jsonExpression(
    "item.value",
    (key) => `((item.value ->> '${key}') COLLATE "C")`,
    undefined,
    undefined,
  ),
  anyItem: (path, test) => `EXISTS (SELECT 1 FROM ${items(path)} WHERE ${test})`,
  anyItemOrValue(path, test) {
    const json = jsonAt(path);
    const list = `CASE WHEN jsonb_typeof(${json}) = 'array' THEN ${json} WHEN ${json} IS NOT NULL THEN jsonb_build_array(${json}) END`;
    return `EXISTS (SELECT 1 FROM jsonb_array_elements(${list}) AS item(value) WHERE ${test})`;
  },
  arrayContains(path, type) {
    const json = jsonAt(path);
    switch (type) {
      case "string":
        return `${json} @> jsonb_build_array(?::text)`;
      case "number":
        return `${json} @> jsonb_build_array(?::float8)`;
      case "boolean":
        return `${json} @> jsonb_build_array(?::text::boolean)`;
      case "pointer":
        return `${json} @> jsonb_build_array(jsonb_build_object('__type', 'Pointer', 'className', ?::text, 'objectId', ?::text))`;
      default:
        return undefined;
    }
  },
  arrayContainsAll: (path) => `${jsonAt(path)} @> ?::text::jsonb`,
  arrayContainsAllParameters: (values) => [JSON.stringify(values)],
  traverse,
  rowsContainAll: (tables) => `(SELECT jsonb_agg(item.value) FROM ${tables}) @> ?::text::jsonb`,
  equalsOrContains: (path, type) =>
    `${jsonAt(path)} @> to_jsonb(?::${type === "string" ? "text" : "float8"})`,
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
        return [numberAt(path), typedValue(jsonAt(path), "string")];
    }
  },
  // As in the other databases, missing values come first.
  direction: (descending) => (descending ? " DESC NULLS LAST" : " NULLS FIRST"),
  pattern: (source, flags) => [postgresPattern(source, flags)],
  comparable: jsonAt,
  listable: (path) => `${jsonAt(path)} AS value`,
  itemsOf: (select) =>
    `SELECT item.value FROM (${select}) AS found, jsonb_array_elements(CASE jsonb_typeof(found.value) WHEN 'array' THEN found.value ELSE jsonb_build_array(found.value) END) AS item(value)`,
  comparableColumn: (name) => `to_jsonb(${name})`,
  json: (path) => `(${jsonAt(path)})::text`,
  quote: (value) => `coalesce(to_jsonb(${value}), 'null')::text`,
  quoteTyped(value, { type, targetClass }) {
    if (type === "Date") return wireObject(value, `'__type', 'Date', 'iso', ${value}`);
    if (type !== "Pointer") return `coalesce(to_jsonb(${value}), 'null')::text`;
    const className = classNameLiteral(targetClass);
    return wireObject(value, `'__type', 'Pointer', 'className', ${className}, 'objectId', ${value}`);
  },
  row: (json, numbers) =>
    `jsonb_build_array(${[...json.map((text) => `(${text})::jsonb`), ...numbers].join(", ")})::text`,
  number: numberAt,
  sum: (number) => `sum(${number})`,
  least: (a, b) => `least(${a}, ${b})`,
  inPolygon: (latitude, longitude, crosses) =>
    crosses
      ? polygonContains("?::text::jsonb", latitude, longitude)
      : `${polygonOf("?::text::jsonb")} @> point(${latitude}, ${longitude})`,
  polygonContains(path) {
    const corners = jsonAt([...path, "coordinates"]);
    const list = `(CASE jsonb_typeof(${corners}) WHEN 'array' THEN ${corners} END)`;
    return polygonContains(list, "?::float8", "?::float8");
  },
  textMatches(_schema, field, search) {
    const { vector, query } = textSearchSql(field, search);
    return `${vector} @@ ${query}`;
  },
  textScore(_schema, field, search) {
    const { vector, query } = textSearchSql(field, search);
    return `ts_rank(${vector}, ${query})::float8`;
  },
  textQuery(search) {
    const { words, phrases, excluded } = parseSearchTerms(removeAccents(search.term));
    const exclusions = excluded.map((word) => ` -"${word}"`).join("");
    if (phrases.length > 0) return `${phrases.map((phrase) => `"${phrase}"`).join(" ")}${exclusions}`;
    return words.map((word) => `"${word}"${exclusions}`).join(" or ");
  },
  textShape: languageOf,
  document: "doc::text",
  documentWithScore: (score) => `(doc || jsonb_build_object('score', ${score}))::text`,
  subject: (name) => name,
  aclContains: (column) => `? = ANY(${column})`,
  aclContainsAny: (column) => `${column} && ${TEXTS}`,
  subjects: (names) => [JSON.stringify(names)],
  textIn: (value) => `${value} = ANY(${TEXTS})`,
};

/** The dialect without a limit on the size of results, for query plans. */
export const unboundedDialect: Dialect = {
  ...postgresDialect,
  selectPage: (columns, table, rest) => `SELECT ${columns} FROM ${table} ${rest}`,
  pageParameters: () => [],
};
