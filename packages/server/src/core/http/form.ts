import { parse } from "node:querystring";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";

/** Maximum number of fields of a query string or an HTML form. */
export const MAX_FORM_FIELDS = 1_000;
/** Maximum size of an HTML form in bytes. */
export const MAX_FORM_BYTES = 256 * 1024;

/**
 * Adds the fields of a query string or a form to `params`: repeated fields, and those with [] after their names, as
 * lists. Existing parameters are kept. Takes time proportional to the text. Throws 107 for more than MAX_FORM_FIELDS.
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
  // Counted above: beyond its own limit the parser silently ignores fields.
  for (const [name, rawValue] of Object.entries(parse(search, "&", "=", { maxKeys: 0 }))) {
    const key = name.endsWith("[]") ? name.slice(0, -2) : name;
    if (key === "__proto__")
      throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, "Invalid key name: __proto__");
    for (const value of Array.isArray(rawValue) ? rawValue : [rawValue ?? ""]) {
      const existing = Object.hasOwn(params, key) ? params[key] : undefined;
      if (Array.isArray(existing)) existing.push(value);
      else if (name.endsWith("[]")) params[key] = [value];
      else if (typeof existing === "string") params[key] = [existing, value];
      else if (existing === undefined) params[key] = value;
    }
  }
}
