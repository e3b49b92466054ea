import { parse } from "node:querystring";
import { ErrorCode, isJsonObject, type JsonObject, ownValue, ProtocolError } from "@purse/protocol";

/** Maximum number of fields of a query string or an HTML form. */
export const MAX_FORM_FIELDS = 1_000;
/** Maximum size of an HTML form in bytes. */
export const MAX_FORM_BYTES = 256 * 1024;

/** A condition as HTTP libraries write nested objects, such as `where[score][$gt]`. Other fields may have such names. */
const NESTED_WHERE = /^where((?:\[[^[\]]{1,256}\]){1,10})$/;

/**
 * Adds the fields of a query string or a form to `params`: repeated fields, and those with [] after their names, as
 * lists, and `where[field][$operator]` as conditions whose values are text. Existing parameters are kept. Takes time
 * proportional to the text. Throws 107 for more than MAX_FORM_FIELDS.
 */
export function addQueryParams(params: JsonObject, search: string): void {
  let fieldCount = 1;
  for (let index = search.indexOf("&"); index >= 0; index = search.indexOf("&", index + 1)) {
    if (++fieldCount > MAX_FORM_FIELDS) {
      throw new ProtocolError(
        ErrorCode.INVALID_JSON,
        `a query string or a form takes ${MAX_FORM_FIELDS} fields at most`,
      );
    }
  }
  const hasWhere = Object.hasOwn(params, "where");
  // Counted above: beyond its own limit the parser silently ignores fields.
  for (const [name, rawValue] of Object.entries(parse(search, "&", "=", { maxKeys: 0 }))) {
    const key = name.endsWith("[]") ? name.slice(0, -2) : name;
    const path = NESTED_WHERE.exec(key)?.[1]?.slice(1, -1).split("][");
    if (key === "__proto__" || path?.includes("__proto__"))
      throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, "Invalid key name: __proto__");
    if (path) {
      const isList = name.endsWith("[]") || Array.isArray(rawValue);
      if (!hasWhere) addCondition(params, path, isList ? [rawValue ?? ""].flat() : String(rawValue ?? ""));
      continue;
    }
    for (const value of Array.isArray(rawValue) ? rawValue : [rawValue ?? ""]) {
      const existing = ownValue(params, key);
      if (Array.isArray(existing)) existing.push(value);
      else if (name.endsWith("[]")) params[key] = [value];
      else if (typeof existing === "string") params[key] = [existing, value];
      else if (existing === undefined) params[key] = value;
    }
  }
}

/** Sets the value at a path of `where`. A path through a value that is no object is ignored. */
function addCondition(params: JsonObject, path: string[], value: string | string[]): void {
  let parent = params;
  for (const key of ["where", ...path.slice(0, -1)]) {
    const child = Object.hasOwn(parent, key) ? parent[key] : {};
    if (!isJsonObject(child)) return;
    parent[key] = child;
    parent = child;
  }
  parent[path.at(-1) ?? ""] = value;
}
