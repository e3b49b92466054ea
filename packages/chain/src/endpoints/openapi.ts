import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { z } from "zod";
import { API_VERSION } from "./info.ts";
import { type EndpointRow, locationOf } from "./rows/row.ts";
import { SCHEMAS } from "./schemas.ts";
import { ENDPOINTS } from "./table.ts";

/** Descriptions of the groups in display order. */
const GROUPS: Readonly<Record<EndpointRow["group"], string>> = {
  native: "Blocks, transactions, logs and contracts",
  account: "Balances and transfers of wallets",
  token: "Tokens and NFTs",
  resolve: "Names",
  defi: "Pairs of decentralized exchanges",
  storage: "Files in IPFS",
  info: "Service information",
};

const DESCRIPTION = `Data of the chains that this server indexes.

If the server requires an API key, send it in the \`X-API-Key\` header.

Amounts and block numbers are decimal text, addresses lower-case hexadecimal, times ISO 8601 in UTC.

A page has \`total\`, \`page\` (from 0), \`page_size\`, \`cursor\` and \`result\`. Send its \`cursor\` to get the next page; on the last page it is empty.

Errors have the body \`{"message"}\`.

Each operation is also a cloud function with the same name: \`POST /functions/{operation}\` with all parameters in one JSON object.`;

const FAILURES: Readonly<Record<string, string>> = {
  400: "A parameter is missing or invalid.",
  401: "The API key is missing or invalid.",
  404: "Not found.",
  429: "The rate limit is exceeded.",
  503: "None of the chain's nodes responds, or the index is incomplete.",
};

const registry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });

/** A parameter of an endpoint as in the OpenAPI document. */
export interface ParameterDescription {
  name: string;
  in: "path" | "query" | "body";
  required: boolean;
  description: string;
  /** JSON Schema of a value as clients send it. */
  schema: JsonObject;
}

/** Creates the OpenAPI 3.1 document for a `serverUrl` such as `https://…/api/v2`. */
export function openApi(serverUrl: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const [name, row] of Object.entries(ENDPOINTS)) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: createOperation(name, row) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Purse data API", version: API_VERSION, description: DESCRIPTION },
    servers: [{ url: serverUrl }],
    // The empty requirement means that keys can be optional.
    security: [{ apiKey: [] }, {}],
    tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "X-API-Key" } },
      schemas: {
        ...responseSchemas(),
        failure: {
          type: "object",
          description: "Error message.",
          properties: { message: { type: "string" } },
          required: ["message"],
        },
      },
      responses: Object.fromEntries(
        Object.entries(FAILURES).map(([status, description]) => [
          `failure${status}`,
          { description, content: jsonContent({ $ref: referenceTo("failure") }) },
        ]),
      ),
    },
  };
}

function createOperation(name: string, row: EndpointRow): JsonObject {
  const parameters = describeParameters(row);
  const { response, aliases = [] } = row;
  const body = createRequestBody(
    row,
    parameters.filter((each) => each.in === "body"),
  );
  return {
    operationId: name,
    tags: [row.group],
    summary: row.about,
    ...(aliases.length > 0 && {
      description: `Also called ${aliases.map((each) => `\`${each}\``).join(", ")}.`,
    }),
    parameters: parameters
      .filter((each) => each.in !== "body")
      // Lists are sent as a=1,2; repeated and bracketed parameters of old clients are also accepted.
      .map((each) => ({ ...each, ...(each.schema.type === "array" && { style: "form", explode: false }) })),
    ...(body && { requestBody: body }),
    responses: {
      [row.status ?? 200]: {
        description:
          response instanceof z.ZodArray
            ? `A list. ${descriptionOf(response.element)}`
            : descriptionOf(response),
        content: jsonContent(responseSchema(row)),
      },
      ...Object.fromEntries(
        Object.keys(FAILURES).map((status) => [status, { $ref: `#/components/responses/failure${status}` }]),
      ),
    },
  };
}

/** Describes the parameters of an endpoint, except for those that it ignores. */
export function describeParameters(row: EndpointRow): ParameterDescription[] {
  const { properties, required } = jsonSchemaOf(row.parameters);
  const requiredNames = Array.isArray(required) ? required : [];
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, property]) => {
    const { description, ...schema } = isJsonObject(property) ? property : {};
    return {
      name,
      in: locationOf(row, name),
      required: requiredNames.includes(name),
      description: String(description),
      schema,
    };
  });
}

function createRequestBody(
  { body }: EndpointRow,
  fields: readonly ParameterDescription[],
): JsonObject | undefined {
  const withDescription = ({ schema, description }: ParameterDescription) => ({ ...schema, description });
  const [first] = fields;
  if (!first || !body) return undefined;
  const schema: JsonObject =
    "properties" in body
      ? {
          type: "object",
          properties: Object.fromEntries(fields.map((each) => [each.name, withDescription(each)])),
          required: fields.filter(({ required }) => required).map(({ name }) => name),
        }
      : withDescription(first);
  return { required: fields.some(({ required }) => required), content: jsonContent(schema) };
}

/** JSON Schemas of the responses by name. */
export function responseSchemas(): Record<string, JsonObject> {
  const { schemas } = z.toJSONSchema(registry, { ...JSON_SCHEMA_OPTIONS, uri: referenceTo });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, requireObject(schema)]),
  );
}

/** JSON Schema of the response of an endpoint: a reference, or a list of references. */
export function responseSchema({ response }: EndpointRow): JsonObject {
  if (!(response instanceof z.ZodArray)) return { $ref: referenceTo(nameOf(response)) };
  return { type: "array", items: { $ref: referenceTo(nameOf(response.element)) } };
}

function descriptionOf(schema: z.core.$ZodType): string {
  return z.globalRegistry.get(schema)?.description ?? "";
}

function nameOf(schema: z.core.$ZodType): string {
  const id = registry.get(schema)?.id;
  if (id !== undefined) return id;
  throw new Error("The schema of a response has no name in SCHEMAS");
}

function referenceTo(name: string): string {
  return `#/components/schemas/${name}`;
}

function jsonSchemaOf(schema: z.ZodType): JsonObject {
  return requireObject(z.toJSONSchema(schema, JSON_SCHEMA_OPTIONS));
}

const JSON_SCHEMA_OPTIONS: z.core.ToJSONSchemaParams = {
  io: "input",
  // Custom types have their JSON Schema in their metadata.
  unrepresentable: "any",
  // Integers are safe, which needs no mention.
  override({ jsonSchema }) {
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
};

function requireObject(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Error("A JSON Schema is not an object");
}

function jsonContent(schema: JsonValue): JsonObject {
  return { "application/json": { schema } };
}
