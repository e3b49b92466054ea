import type { JsonObject, JsonValue } from "@purse/protocol";
import { API_VERSION } from "./info.ts";
import { exampleOf, jsonSchemaOf } from "./jsonSchemas.ts";
import { SCHEMAS } from "./schemas.ts";
import { ENDPOINTS, type EndpointRow, type Kind, type ParameterRow } from "./table.ts";

/** Descriptions of the groups in display order. */
export const GROUPS: Readonly<Record<EndpointRow["group"], string>> = {
  native: "Blocks, transactions, logs and contracts",
  account: "Balances and transfers of wallets",
  token: "Tokens and NFTs",
  resolve: "Names",
  defi: "Pairs of decentralized exchanges",
  storage: "Files in IPFS",
  info: "Service information",
};

const HASH = "^0x[0-9a-fA-F]{64}$";
const ADDRESS = "^0x[0-9a-fA-F]{40}$";
const integer: JsonObject = { type: "integer", minimum: 0 };
const text: JsonObject = { type: "string", minLength: 1, maxLength: 1000 };
const address: JsonObject = { type: "string", pattern: ADDRESS };
const object: JsonObject = { type: "object" };

/** JSON Schema of a parameter by its kind. */
const KINDS: Readonly<Record<Exclude<Kind, "ignored">, JsonObject>> = {
  chain: { type: "string" },
  address,
  addresses: { type: "array", items: address, minItems: 1, maxItems: 100 },
  hash: { type: "string", pattern: HASH },
  blockOrHash: { anyOf: [integer, { type: "string", pattern: HASH }, { const: "latest" }] },
  text,
  texts: { type: "array", items: text, minItems: 1, maxItems: 100 },
  integer,
  block: integer,
  time: {
    anyOf: [
      { type: "string", format: "date-time" },
      { type: "integer", description: "Seconds or milliseconds since the epoch." },
    ],
  },
  limit: { type: "integer", minimum: 1, maximum: 500 },
  offset: { type: "integer", minimum: 0, maximum: 100_000 },
  cursor: { type: "string" },
  format: { type: "string", enum: ["decimal", "hex"] },
  choice: { type: "string" },
  choices: { type: "array", items: { type: "string" }, minItems: 1 },
  abi: { anyOf: [object, { type: "array", items: object, minItems: 1 }] },
  json: object,
  files: {
    type: "array",
    minItems: 1,
    items: {
      type: "object",
      properties: {
        path: { type: "string", description: "Relative, as folder/file.txt." },
        content: { description: "Base64 text, or the JSON that the file is to hold." },
      },
      required: ["path", "content"],
    },
  },
  tokenId: { type: "string", pattern: "^([0-9]{1,78}|0x[0-9a-fA-F]{1,64})$" },
  domain: { type: "string", pattern: "^[^\\s/]+\\.[^\\s/]+$" },
  days: { type: "integer", minimum: 1, maximum: 3650 },
  order: { type: "array", items: { type: "string", pattern: "^\\w+(\\.(ASC|DESC|asc|desc))?$" } },
};

const FAILURES: Readonly<Record<string, string>> = {
  400: "A parameter is missing or invalid.",
  401: "The API key is missing or invalid.",
  404: "Not found.",
  429: "The rate limit is exceeded.",
  503: "The chain is not configured, or none of its nodes responds.",
};

/** Creates the OpenAPI 3.1 document for a `serverUrl` such as `https://…/api/v2`. */
export function openApi(serverUrl: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const row of ENDPOINTS) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: createOperation(row) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Purse data service",
      version: API_VERSION,
      description:
        "Data of the chains that this server indexes. Amounts and block numbers are decimal text, " +
        "addresses lower-case hexadecimal, times ISO 8601 in UTC. Each operation is also a cloud function " +
        "with the same name: POST /functions/{operation} with all parameters in one JSON object.",
    },
    servers: [{ url: serverUrl }],
    // The empty requirement means that keys can be optional.
    security: [{ apiKey: [] }, {}],
    tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "X-API-Key" } },
      schemas: {
        ...Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, jsonSchemaOf(schema)])),
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
          { description, content: jsonContent({ $ref: "#/components/schemas/failure" }) },
        ]),
      ),
    },
  };
}

function createOperation(row: EndpointRow): JsonObject {
  const sentParameters = row.parameters.filter((each) => each.in !== "body" && each.kind !== "ignored");
  const body = createRequestBody(row);
  return {
    operationId: row.name,
    tags: [row.group],
    summary: row.about,
    parameters: sentParameters.map(createParameter),
    ...(body && { requestBody: body }),
    responses: {
      [row.status]: {
        description: responseDescription(row),
        content: { "application/json": { schema: responseSchema(row), example: exampleOf(row.response) } },
      },
      ...Object.fromEntries(
        Object.keys(FAILURES).map((status) => [status, { $ref: `#/components/responses/failure${status}` }]),
      ),
    },
  };
}

function createParameter(row: ParameterRow): JsonObject {
  const schema = valueSchema(row);
  // Lists are sent as a=1,2; repeated and bracketed parameters of old clients are also accepted.
  const list = schema.type === "array" && { style: "form", explode: false };
  return {
    name: row.name,
    in: row.in,
    required: row.required,
    description: row.about,
    ...list,
    schema,
  };
}

/** JSON Schema of a parameter with its default and choices. */
export function valueSchema({ kind, choices, default: defaultValue }: ParameterRow): JsonObject {
  if (kind === "ignored") return {};
  const schema: JsonObject = { ...KINDS[kind] };
  if (kind === "choice") schema.enum = [...(choices ?? [])];
  if (kind === "choices") schema.items = { type: "string", enum: [...(choices ?? [])] };
  if (defaultValue !== undefined) schema.default = schema.type === "array" ? [defaultValue] : defaultValue;
  return schema;
}

function createRequestBody(row: EndpointRow): JsonObject | undefined {
  const fields = row.parameters.filter((each) => each.in === "body");
  const [first] = fields;
  if (!first || !row.body) return undefined;
  const schema: JsonObject =
    row.body === "properties"
      ? {
          type: "object",
          properties: Object.fromEntries(
            fields.map((each) => [each.name, { ...valueSchema(each), description: each.about }]),
          ),
          required: fields.filter(({ required }) => required).map(({ name }) => name),
        }
      : { ...valueSchema(first), description: first.about };
  return { required: fields.some(({ required }) => required), content: jsonContent(schema) };
}

function responseSchema({ response }: EndpointRow): JsonObject {
  const one = { $ref: `#/components/schemas/${response.replace("[]", "")}` };
  return response.endsWith("[]") ? { type: "array", items: one } : one;
}

function responseDescription({ response }: EndpointRow): string {
  const about: Readonly<Record<string, { about: string }>> = SCHEMAS;
  const text = about[response.replace("[]", "")]?.about ?? "";
  return response.endsWith("[]") ? `A list. ${text}` : text;
}

function jsonContent(schema: JsonValue): JsonObject {
  return { "application/json": { schema } };
}
