import type { Dialect } from "../sql/dialect.ts";

/** `$.a.b`; segments are checked names, so that quoting is enough. Digits may index an array. */
function jsonPath(path: readonly string[]): string {
  const [field = "", ...rest] = path;
  return `'$.${field}${rest.map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `."${segment}"`)).join("")}'`;
}

export const sqliteDialect: Dialect = {
  identifier: (name) => `"${name.replaceAll('"', '""')}"`,
  value: (source, path) => (path.length === 0 ? source : `json_extract(${source}, ${jsonPath(path)})`),
  typeOf: (source, path) => `json_type(${source}, ${jsonPath(path)})`,
  isKind: (value, kind) =>
    kind === "text" ? `typeof(${value}) = 'text'` : `typeof(${value}) IN ('integer','real')`,
  anyItem: (source, path, test) =>
    `EXISTS (SELECT 1 FROM json_each(${source}, ${jsonPath(path)}) AS item WHERE ${test})`,
  anyItemOrValue: (source, path, test) =>
    `EXISTS (SELECT 1 FROM json_each(CASE json_type(${source}, ${jsonPath(path)}) WHEN 'array' THEN json_extract(${source}, ${jsonPath(path)}) ELSE json_array(json_extract(${source}, ${jsonPath(path)})) END) AS item WHERE ${test})`,
  item: "item.value",
  itemType: "item.type",
  itemKey: (key) => `CASE item.type WHEN 'object' THEN json_extract(item.value, ${jsonPath([key])}) END`,
  inParameter: (value) => `${value} IN (SELECT value FROM json_each(?))`,
  jsonParameter: () => "json(?)",
  regex: (value) => `purse_regex(?, ?, ${value})`,
  aclHolds: (column) => `instr(${column}, ?) > 0`,
  aclHoldsAny: (column) => `EXISTS (SELECT 1 FROM json_each(?) AS who WHERE instr(${column}, who.value) > 0)`,
};
