import type { JsonObject, JsonValue } from "@purse/protocol";
import { type Fields, type FieldType, type Scalar, type Schema, schemaOf } from "./schemas.ts";

const decimal = { type: "string", pattern: "^-?[0-9]+$" };

const SCALARS: Readonly<Record<Scalar, JsonObject>> = {
  decimal,
  text: { type: "string" },
  time: { type: "string", format: "date-time" },
  address: { type: "string", pattern: "^0x[0-9a-f]{40}$" },
  hash: { type: "string", pattern: "^0x[0-9a-f]{64}$" },
  hex: { type: "string", pattern: "^0x[0-9a-f]*$" },
  integer: { type: "integer" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  json: { type: "string", contentMediaType: "application/json" },
  object: { type: "object" },
};

/** Fields of every page in addition to its rows. */
const PAGE: Fields = { total: "integer", page: "integer", page_size: "integer", cursor: "text?" };

/** The JSON Schema of a schema; other schemas are referenced. */
export function jsonSchemaOf(schema: Schema): JsonObject {
  if ("text" in schema) return { type: "string", description: schema.about };
  const fields = schemaFields(schema);
  return {
    type: "object",
    description: schema.about,
    properties: Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, fieldSchema(type)])),
    required: Object.keys(fields).filter((name) => !isOptional(fields[name])),
  };
}

/** An example response of an endpoint. */
export function exampleOf(response: string): JsonValue {
  const schema = schemaOf(response.replace("[]", ""));
  if (!schema) throw new Error(`Unknown schema ${response}`);
  if (response.endsWith("[]")) return [exampleOf(response.slice(0, -2))];
  if ("text" in schema) return "1000000";
  return Object.fromEntries(
    Object.entries(schemaFields(schema)).map(([name, type]) => [name, exampleField(name, type)]),
  );
}

/** The fields of a schema; pages have the common fields, their own and the rows. */
export function schemaFields(schema: Schema): Fields {
  if ("text" in schema) return {};
  if ("pageOf" in schema) return { ...PAGE, ...schema.fields, result: { list: schema.pageOf } };
  return schema.fields;
}

export function isOptional(type: FieldType | undefined): boolean {
  return typeof type === "string" && type.endsWith("?");
}

/** The type without the question mark. */
export function scalarOf(type: string): Scalar | undefined {
  const name = type.replace("?", "");
  return isScalarName(name) ? name : undefined;
}

function isScalarName(name: string): name is Scalar {
  return Object.hasOwn(SCALARS, name);
}

function fieldSchema(type: FieldType): JsonObject {
  if (typeof type === "object")
    return "list" in type ? { type: "array", items: reference(type.list) } : reference(type.of);
  const schema = reference(type.replace("?", ""));
  return isOptional(type) && typeof schema.type === "string"
    ? { ...schema, type: [schema.type, "null"] }
    : schema;
}

function reference(name: string): JsonObject {
  const scalar = scalarOf(name);
  return scalar ? { ...SCALARS[scalar] } : { $ref: `#/components/schemas/${name}` };
}

const EXAMPLES: Readonly<Record<Scalar, JsonValue>> = {
  decimal: "1000000",
  text: "",
  time: "2021-05-07T11:08:35.000Z",
  address: "0x7de3085b3190b3a787822ee16f23be010f5f8686",
  hash: "0x0d9f4a2b2c9b0a7e8c5e6f1d3b4a59687786a5b4c3d2e1f00f1e2d3c4b5a6978",
  hex: "0x",
  integer: 0,
  number: 1.0003,
  boolean: true,
  json: '{"name":"Cat 7","image":"ipfs://cat/7.png"}',
  object: { from: "0x7de3085b3190b3a787822ee16f23be010f5f8686", amount: "1000000" },
};

/** Examples for fields whose type is not specific enough. */
const FIELD_EXAMPLES: Readonly<Record<string, JsonValue>> = {
  total: 1,
  page_size: 500,
  cursor: "",
  name: "Example",
  symbol: "EXM",
  logo: null,
  logo_hash: null,
  thumbnail: null,
  validated: "1",
  number: "12386788",
  block_number: "12386788",
  block_number_minted: "12386788",
  block: 12_386_788,
  date: "2021-05-07T11:08:35+00:00",
  timestamp: "2021-05-07T11:08:35.000Z",
  token_id: "7",
  token_ids: ["7"],
  contract_type: "ERC721",
  token_uri: "ipfs://cat/7.json",
  token_hash: null,
  amount: "1",
  status: "SYNCED",
  transaction_type: "Single",
  transaction_index: "3",
  log_index: "12",
  receipt_status: "1",
  receipt_root: null,
  receipt_contract_address: null,
  nonce: "42",
  topic2: null,
  topic3: null,
  exchangeName: "Uniswap v2",
  path: "https://ipfs.io/ipfs/bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/cat.json",
  version: "2.0.0",
  endpoint: "getNativeBalance",
  rateLimitWeight: "1",
  price: "1",
};

function exampleField(name: string, type: FieldType): JsonValue {
  if (typeof type === "object" && "of" in type) return exampleOf(type.of);
  if (typeof type === "object" && scalarOf(type.list) === undefined) return [exampleOf(type.list)];
  const fieldExample = Object.hasOwn(FIELD_EXAMPLES, name) ? FIELD_EXAMPLES[name] : undefined;
  if (typeof type === "object") return fieldExample ?? [];
  const kind = scalarOf(type);
  if (kind === undefined) throw new Error(`${name} has an unknown type: ${type}`);
  const fits = fieldExample !== undefined && kind !== "hex" && typeof fieldExample === typeof EXAMPLES[kind];
  if (fits || (fieldExample === null && isOptional(type))) return fieldExample;
  // A few fields are numbers in one response and text in another.
  if (kind === "integer") return name === "timestamp" ? 1_620_385_715 : name === "decimals" ? 6 : 0;
  if (kind === "decimal") return name === "decimals" ? "6" : "1000000";
  return EXAMPLES[kind];
}
