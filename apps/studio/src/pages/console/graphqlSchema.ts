import type { JsonObject, JsonValue } from "@purse/protocol";
import { asObject, stringField } from "../../components/fields.ts";

/** Reads what the documentation of the schema shows. */
export const SCHEMA_QUERY = `query Schema {
  __schema {
    queryType { fields { ...Operation } }
    mutationType { fields { ...Operation } }
  }
}
fragment Operation on __Field {
  name
  description
  args { name type { ...Type } }
  type { ...Type }
}
fragment Type on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`;

/** A field of the root of a GraphQL schema. */
export interface GraphqlOperation {
  kind: "query" | "mutation";
  name: string;
  description: string;
  args: readonly { name: string; type: string }[];
  type: string;
}

/** The queries and mutations of a response to SCHEMA_QUERY. */
export function operationsOf(response: JsonObject): GraphqlOperation[] {
  const schema = asObject(asObject(response.data)?.__schema) ?? {};
  return (["query", "mutation"] as const).flatMap((kind) =>
    listOf(asObject(schema[`${kind}Type`])?.fields).map((field) => ({
      kind,
      name: stringField(field, "name"),
      description: stringField(field, "description"),
      args: listOf(field.args).map((arg) => ({ name: stringField(arg, "name"), type: typeText(arg.type) })),
      type: typeText(field.type),
    })),
  );
}

/** An operation to begin with: required arguments as variables. */
export function templateOf({ kind, name, args, type }: GraphqlOperation): {
  query: string;
  variables: string;
} {
  const required = args.filter((arg) => arg.type.endsWith("!"));
  const variables = required.map((arg) => `$${arg.name}: ${arg.type}`).join(", ");
  const values = required.map((arg) => `${arg.name}: $${arg.name}`).join(", ");
  const selection = /^(?:Boolean|String|Int|Float|ID|Any|Date)!?$/.test(type)
    ? ""
    : type.includes("Connection")
      ? " {\n    count\n    edges { node { id } }\n  }"
      : " {\n    __typename\n  }";
  return {
    query: `${kind}${variables && ` (${variables})`} {\n  ${name}${values && `(${values})`}${selection}\n}`,
    variables:
      required.length === 0
        ? ""
        : JSON.stringify(Object.fromEntries(required.map((arg) => [arg.name, null])), null, 2),
  };
}

function listOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map(asObject).filter((each) => each !== undefined) : [];
}

/** A type as it is written: `[Note!]!`. */
function typeText(value: JsonValue | undefined): string {
  const type = asObject(value);
  if (!type) return "";
  if (type.kind === "NON_NULL") return `${typeText(type.ofType)}!`;
  if (type.kind === "LIST") return `[${typeText(type.ofType)}]`;
  return stringField(type, "name");
}
