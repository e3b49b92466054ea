import type { JsonObject, JsonValue } from "@purse/protocol";
import { API_VERSION } from "./info.ts";
import { exampleOf, jsonSchemaOf } from "./jsonSchemas.ts";
import { SCHEMAS } from "./schemas.ts";
import { ENDPOINTS, type EndpointRow, type Kind, type ParameterRow } from "./table.ts";

/** What the groups are about, in the order in which they are shown. */
export const GROUPS: Readonly<Record<EndpointRow["group"], string>> = {
  native: "Blocks, transactions, logs and contracts",
  account: "What a wallet has and what it has moved",
  token: "Tokens and NFTs",
  resolve: "Names",
  defi: "Pairs of decentralised exchanges",
  storage: "Files in IPFS",
  info: "The service itself",
};

const HASH = "^0x[0-9a-fA-F]{64}$";
const ADDRESS = "^0x[0-9a-fA-F]{40}$";
const whole: JsonObject = { type: "integer", minimum: 0 };
const text: JsonObject = { type: "string", minLength: 1, maxLength: 1000 };
const address: JsonObject = { type: "string", pattern: ADDRESS };
const object: JsonObject = { type: "object" };

/** How a parameter is sent, by its kind. */
const KINDS: Readonly<Record<Exclude<Kind, "ignored">, JsonObject>> = {
  chain: { type: "string" },
  address,
  addresses: { type: "array", items: address, minItems: 1, maxItems: 100 },
  hash: { type: "string", pattern: HASH },
  blockOrHash: { anyOf: [whole, { type: "string", pattern: HASH }, { const: "latest" }] },
  text,
  texts: { type: "array", items: text, minItems: 1, maxItems: 100 },
  whole,
  block: whole,
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
  400: "A parameter is missing or is not what it must be.",
  401: "The API key is missing or is not known.",
  404: "There is nothing of this kind.",
  429: "More was asked than the rate limit allows.",
  503: "The chain is not configured, or no node of it answers.",
};

/** The OpenAPI 3.1 description of the data service at `serverUrl`, as `https://…/api/v2`. */
export function openApi(serverUrl: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const row of ENDPOINTS) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: operationOf(row) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Purse data service",
      version: API_VERSION,
      description:
        "What is on the chains that this server follows. Amounts and block numbers are decimal text, " +
        "addresses lower-case hexadecimal, times ISO 8601 in UTC. Each operation is also a server function " +
        "of its name: POST /functions/{operation} with all parameters in one JSON object.",
    },
    servers: [{ url: serverUrl }],
    // The empty one says that a server may serve without keys.
    security: [{ apiKey: [] }, {}],
    tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "X-API-Key" } },
      schemas: {
        ...Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, jsonSchemaOf(schema)])),
        failure: {
          type: "object",
          description: "What went wrong, in words.",
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

function operationOf(row: EndpointRow): JsonObject {
  const sent = row.parameters.filter((each) => each.in !== "body" && each.kind !== "ignored");
  const body = bodyOf(row);
  return {
    operationId: row.name,
    tags: [row.group],
    summary: row.about,
    parameters: sent.map(parameterOf),
    ...(body && { requestBody: body }),
    responses: {
      [row.status]: {
        description: aboutAnswer(row),
        content: { "application/json": { schema: answerSchema(row), example: exampleOf(row.answer) } },
      },
      ...Object.fromEntries(
        Object.keys(FAILURES).map((status) => [status, { $ref: `#/components/responses/failure${status}` }]),
      ),
    },
  };
}

function parameterOf(row: ParameterRow): JsonObject {
  const schema = valueSchema(row);
  // Lists as a=1,2; the repeated and the bracketed spellings of old clients are taken too.
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

/** How a parameter is sent, with its default and what may be chosen. */
export function valueSchema({ kind, choices, default: otherwise }: ParameterRow): JsonObject {
  if (kind === "ignored") return {};
  const schema: JsonObject = { ...KINDS[kind] };
  if (kind === "choice") schema.enum = [...(choices ?? [])];
  if (kind === "choices") schema.items = { type: "string", enum: [...(choices ?? [])] };
  if (otherwise !== undefined) schema.default = schema.type === "array" ? [otherwise] : otherwise;
  return schema;
}

function bodyOf(row: EndpointRow): JsonObject | undefined {
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

function answerSchema({ answer }: EndpointRow): JsonObject {
  const one = { $ref: `#/components/schemas/${answer.replace("[]", "")}` };
  return answer.endsWith("[]") ? { type: "array", items: one } : one;
}

function aboutAnswer({ answer }: EndpointRow): string {
  const about: Readonly<Record<string, { about: string }>> = SCHEMAS;
  const text = about[answer.replace("[]", "")]?.about ?? "";
  return answer.endsWith("[]") ? `A list. ${text}` : text;
}

function jsonContent(schema: JsonValue): JsonObject {
  return { "application/json": { schema } };
}
