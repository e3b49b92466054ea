import { isJsonObject, type JsonObject } from "@purse/protocol";

/**
 * A page with the tables of routes that an OpenAPI document describes: each table replaces what is between the comments
 * `<!-- routes: Tag -->` and `<!-- end of routes -->`. Throws Error unless the page has all tags of the document.
 */
export function withRouteTables(page: string, document: JsonObject): string {
  const rows = rowsByTag(document);
  const missing = new Set(rows.keys());
  const text = page.replace(
    /(<!-- routes: (.+) -->\n)[\s\S]*?(<!-- end of routes -->)/g,
    (_, begin: string, tag: string, end: string) => {
      missing.delete(tag);
      return `${begin}\n${HEADER}${(rows.get(tag) ?? []).join("")}\n${end}`;
    },
  );
  if (missing.size > 0) throw new Error(`The page has no table for ${[...missing].join(", ")}`);
  return text;
}

const HEADER = "| Route | Access | Purpose | Parameters | Response |\n| --- | --- | --- | --- | --- |\n";

function rowsByTag({ paths }: JsonObject): Map<string, string[]> {
  const rows = new Map<string, string[]>();
  for (const [path, operations] of entriesOf(paths)) {
    for (const [method, operation] of entriesOf(operations)) {
      const { tags, summary, "x-access": access } = objectOf(operation);
      const cells = [
        `\`${method.toUpperCase()} ${path}\``,
        access === "masterKey" ? "master key" : access,
        summary,
        parametersOf(objectOf(operation)),
        responseOf(objectOf(operation)),
      ];
      const tag = String(Array.isArray(tags) ? tags[0] : "");
      rows.set(tag, [...(rows.get(tag) ?? []), `| ${cells.join(" | ")} |\n`]);
    }
  }
  return rows;
}

/** The names of the parameters, besides those of the path and the headers. */
function parametersOf({ parameters, requestBody }: JsonObject): string {
  const query = (Array.isArray(parameters) ? parameters : [])
    .map(objectOf)
    .filter((parameter) => parameter.in === "query")
    .map(({ name, required, schema }) => parameterText(String(name), required === true, objectOf(schema)));
  const [type, content] = entriesOf(objectOf(requestBody).content)[0] ?? [];
  if (type === undefined) return query.join(", ");
  const { schema } = objectOf(content);
  if (schema === undefined) return [...query, `the body, \`${type}\``].join(", ");
  const { $ref, properties, required, description } = objectOf(schema);
  if ($ref !== undefined) return [...query, `\`${typeText({ $ref })}\``].join(", ");
  const fields = entriesOf(properties).map(([name, schema]) =>
    parameterText(name, Array.isArray(required) && required.includes(name), objectOf(schema)),
  );
  if (fields.length === 0 && typeof description === "string") fields.push(lowerCaseFirst(description));
  return [...query, ...fields].join(", ");
}

function parameterText(name: string, isRequired: boolean, { enum: values }: JsonObject): string {
  const alternatives = Array.isArray(values) ? ` (${values.map((value) => `\`${value}\``).join(", ")})` : "";
  return `\`${name}${isRequired ? "" : "?"}\`${alternatives}`;
}

function responseOf({ responses }: JsonObject): string {
  const success = entriesOf(responses).find(([status]) => status.startsWith("2"));
  const [type, content] = entriesOf(objectOf(success?.[1]).content)[0] ?? [];
  if (type === undefined) return "";
  if (type !== "application/json") return type === "*/*" ? "The file" : `\`${type}\``;
  const text = typeText(objectOf(objectOf(content).schema));
  return text === "{}" ? "" : `\`${text}\``;
}

/** A schema as in TypeScript, without the types of fields. */
function typeText({
  $ref,
  type,
  items,
  properties,
  required,
  additionalProperties,
  anyOf,
}: JsonObject): string {
  if (typeof $ref === "string") return $ref.slice($ref.lastIndexOf("/") + 1);
  if (Array.isArray(anyOf)) return anyOf.map((each) => typeText(objectOf(each))).join(" or ");
  if (type === "array") return `${typeText(objectOf(items))}[]`;
  if (properties !== undefined) {
    const fields = entriesOf(properties).map(([name, schema]) => {
      const text = typeText(objectOf(schema));
      const key = Array.isArray(required) && required.includes(name) ? name : `${name}?`;
      return /^[A-Z]|^object\[\]/.test(text) ? `${key}: ${text}` : key;
    });
    return fields.length > 0 ? `{ ${fields.join(", ")} }` : "{}";
  }
  if (type === "object") return additionalProperties === undefined ? "object" : "{}";
  return typeof type === "string" ? type : "JSON";
}

function lowerCaseFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

function entriesOf(value: unknown): [string, JsonObject[string]][] {
  return Object.entries(objectOf(value));
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
