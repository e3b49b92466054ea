import { isPlainName } from "../sql/columns.ts";

/** Names and paths are validated: no segment contains a quote, a comma or a brace. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns the value at a path as jsonb, of the object or of another value. */
export function jsonAt(path: readonly string[], source = "doc"): string {
  return path.length === 1 ? `(${source} -> '${path[0]}')` : `(${source} #> '{${path.join()}}')`;
}

/** Returns the value at a path as text with binary collation. */
export function textAt(path: readonly string[]): string {
  return `(${uncollatedTextAt(path)} COLLATE "C")`;
}

/** The same with the default collation, where another one applies in any case. */
export function uncollatedTextAt(path: readonly string[]): string {
  return path.length === 1 ? `(doc ->> '${path[0]}')` : `(doc #>> '{${path.join()}}')`;
}

/** Returns a value as text or number if it has the given JSON type; NULL otherwise. */
export function typedValue(json: string, kind: "string" | "number" | "boolean"): string {
  if (kind === "number") return `(CASE jsonb_typeof(${json}) WHEN 'number' THEN ${json}::float8 END)`;
  return `((CASE jsonb_typeof(${json}) WHEN '${kind}' THEN ${json} #>> '{}' END) COLLATE "C")`;
}

/** Returns the value at a path if it is a number; NULL otherwise. */
export function numberAt(path: readonly string[]): string {
  return typedValue(jsonAt(path), "number");
}

/** Returns the value at a path if it is a boolean; NULL otherwise. */
export function booleanAt(path: readonly string[]): string {
  const json = jsonAt(path);
  return `(CASE jsonb_typeof(${json}) WHEN 'boolean' THEN ${json}::boolean END)`;
}

/** The next parameter, a JSON array, as an array of texts, numbers or booleans. */
export const TEXTS = "ARRAY(SELECT jsonb_array_elements_text(?::text::jsonb))";
export const NUMBERS = "ARRAY(SELECT jsonb_array_elements_text(?::text::jsonb)::float8)";
export const BOOLEANS = "ARRAY(SELECT jsonb_array_elements_text(?::text::jsonb)::boolean)";

/** Returns the name of a class as a text literal. Throws for names that `typedColumnOf` excludes. */
export function classNameLiteral(name: string | undefined): string {
  if (name === undefined || !isPlainName(name)) throw new Error("the class name cannot be part of SQL");
  return `'${name}'`;
}
