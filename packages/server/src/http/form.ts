import { parse } from "node:querystring";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";

/** Fields of a query string or of an HTML form. */
export const MAX_FORM_FIELDS = 1_000;
/** Bytes of an HTML form. */
export const MAX_FORM_BYTES = 256 * 1024;

/**
 * Adds the fields of a query string or a form: repeated ones, and those with [] behind their names, as lists. What is
 * there already stays. Takes time in proportion to the text. Throws 107 for more than MAX_FORM_FIELDS.
 */
export function addSearch(params: JsonObject, search: string): void {
  let fields = 1;
  for (let at = search.indexOf("&"); at >= 0; at = search.indexOf("&", at + 1)) {
    if (++fields > MAX_FORM_FIELDS) {
      throw new ProtocolError(
        ErrorCode.INVALID_JSON,
        `a query string or a form takes ${MAX_FORM_FIELDS} fields at most`,
      );
    }
  }
  // Counted above: beyond its own limit the parser leaves fields out without a word.
  for (const [name, given] of Object.entries(parse(search, "&", "=", { maxKeys: 0 }))) {
    const key = name.endsWith("[]") ? name.slice(0, -2) : name;
    if (key === "__proto__")
      throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, "Invalid key name: __proto__");
    for (const value of Array.isArray(given) ? given : [given ?? ""]) {
      const known = Object.hasOwn(params, key) ? params[key] : undefined;
      if (Array.isArray(known)) known.push(value);
      else if (name.endsWith("[]")) params[key] = [value];
      else if (typeof known === "string") params[key] = [known, value];
      else if (known === undefined) params[key] = value;
    }
  }
}
