/*
 * Generates the client's Web3API from the data API's table of endpoints: operations.ts, routes.ts and results.ts below
 * packages/client/src/web3api. `--check` writes nothing and fails where a file is stale.
 */
import {
  describeParameters,
  ENDPOINTS,
  type EndpointRow,
  type ParameterDescription,
  responseSchema,
  responseSchemas,
} from "@purse/chain";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { formatSource, writeGenerated } from "./generatedFiles.ts";

const GENERATED_NOTICE =
  "// Written by scripts/web3api.ts from the data API's table of endpoints: change that, not this.";

const rows = Object.entries<EndpointRow>(ENDPOINTS).map(([name, row]) => ({ name, ...row }));
type NamedRow = (typeof rows)[number];
const schemas = responseSchemas();

/** Type names that differ from their schema's name. */
const NAMES: Readonly<Record<string, string>> = {
  logEventByAddress: "ContractLog",
  logEvent: "ContractEvent",
  log: "TransactionLog",
  erc20TokenBalance: "Erc20Balance",
  erc20Transaction: "Erc20Transfer",
  resolve: "ResolvedDomain",
  ens: "ResolvedAddress",
  web3version: "Web3Version",
};

/** Types of parameters that differ from their JSON Schema: other types that the client converts, or fewer. */
const PARAMETER_TYPES: Readonly<Record<string, string>> = {
  chain: "string | number",
  token_id: "string | number | bigint",
  limit: "number",
  offset: "number",
  days: "number",
  abi: "object",
};

/** Optional parameters that many operations have together, by the names of their types; larger groups first. */
const PARAMETER_GROUPS: Readonly<Record<string, readonly string[]>> = {
  AddressOnChain: ["address", "chain"],
  OnChain: ["chain"],
  NftPage: ["format", "offset", "limit", "cursor", "disable_total"],
  BlockRange: ["from_block", "to_block", "from_date", "to_date"],
  DateRange: ["from_date", "to_date"],
  ListPage: ["offset", "limit", "cursor", "disable_total"],
  CursorPage: ["limit", "cursor"],
};

/** Fields of pages; only those of events have kept_from_block. */
const PAGE_FIELDS = ["total", "page", "page_size", "cursor", "kept_from_block", "result"];

/** As in Moralis: most functions return a single value, which is text. */
const TEXT_RESULT = "contractResult";

const optionalTypes = optionalParameters();

const files = { "operations.ts": operationsFile(), "routes.ts": routesFile(), "results.ts": resultsFile() };
writeGenerated(
  "web3api.ts",
  Object.entries(files).map(([name, text]) => {
    const path = `packages/client/src/web3api/${name}`;
    return [path, formatSource(path, text)];
  }),
);

function operationsFile(): string {
  const groups = Object.entries(Object.groupBy(rowsByGroup(), ({ group }) => group));
  const types = groups.map(([group, of = []]) => `readonly ${group}: {\n${of.map(callType).join("\n")}\n};`);
  const names = groups.map(([group, of = []]) => `${group}: "${of.map(nameWithMarks).join(" ")}",`);
  const body = `export interface Operations {\n${types.join("\n")}\n}

/** Their names by group, in one text for each: see OperationNames. */
export const operations: OperationNames<keyof Operations> = {\n${names.join("\n")}\n};\n`;
  const results = [...new Set([...body.matchAll(/\b[A-Z]\w+\b/g)].map(([name]) => name))].filter((name) =>
    isResult(name),
  );
  return `${GENERATED_NOTICE}
import type { JsonObject } from "@purse/protocol";
import type { Call, OneOf, OperationNames } from "./operation.ts";
import type { ${results.toSorted().join(", ")} } from "./results.ts";

${Object.entries(PARAMETER_GROUPS).map(groupType).join("\n\n")}

/** The calls of each group, by the parameters that they take and what they answer. */
${body}`;
}

/** In the order of the groups in Moralis. */
function rowsByGroup(): NamedRow[] {
  const order = ["native", "account", "token", "resolve", "defi", "storage", "info"];
  return rows.toSorted((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
}

function isResult(name: string): boolean {
  return name === "Page" || Object.keys(schemas).some((each) => typeName(each) === name);
}

function callType(row: NamedRow): string {
  const whole = row.body && "parameter" in row.body ? row.body.parameter : undefined;
  const parameters = describeParameters(row);
  const types = new Map(
    parameters.filter((each) => !whole || each.in !== "body").map((each) => [each.name, parameterType(each)]),
  );
  for (const name of row.ignored ?? []) types.set(name, `${name}?: string;`);
  const groups = Object.entries(PARAMETER_GROUPS).flatMap(([group, names]) => {
    if (!names.every((name) => types.get(name) === optionalTypes.get(name))) return [];
    for (const name of names) types.delete(name);
    return [group];
  });
  const fields = [...types.values()];
  const body = parameters.find((each) => each.in === "body");
  const both = [
    ...groups,
    ...(fields.length > 0 ? [`{ ${fields.join(" ")} }`] : []),
    ...(whole && body ? [`OneOf<${quoted(whole).join(" | ")}, ${inputType(body.schema)}>`] : []),
  ];
  const type = both.join(" & ") || "Record<never, never>";
  return `/** ${row.about} */\nreadonly ${row.name}: Call<${type}, ${valueType(responseSchema(row))}>;`;
}

/** An alias, since the types of applications could not name an interface that is not exported. */
function groupType([group, names]: [string, readonly string[]]): string {
  return `type ${group} = { ${names.map((name) => optionalTypes.get(name)).join(" ")} };`;
}

/** The optional parameters of all operations by name; those of groups have the same type in all of them. */
function optionalParameters(): ReadonlyMap<string, string> {
  const optional = rows.flatMap(describeParameters).filter(isOptional);
  return new Map(optional.map((each) => [each.name, parameterType(each)]));
}

/** Without an address, that of the signed-in user or of the connected wallet is used. */
function isOptional({ name, required }: ParameterDescription): boolean {
  return !required || name === "address";
}

function parameterType(parameter: ParameterDescription): string {
  const { name, schema } = parameter;
  return `${name}${isOptional(parameter) ? "?" : ""}: ${PARAMETER_TYPES[name] ?? inputType(schema)};`;
}

/** The type of a parameter: dates, numbers as text and lists as text with commas are accepted as well. */
function inputType(schema: JsonObject): string {
  const { anyOf, type, format, items, properties } = schema;
  if (Array.isArray(schema.enum)) return quoted(schema.enum).join(" | ");
  if (Array.isArray(anyOf)) {
    const types = anyOf.flatMap((each) => inputType(objectOf(each)).split(" | "));
    return types.includes("object") ? "object" : [...new Set(types)].join(" | ");
  }
  if (type === "array") {
    const item = inputType(objectOf(items));
    if (item.startsWith("{")) return `readonly ${item}[]`;
    return `string | readonly ${item.includes("|") ? `(${item})` : item}[]`;
  }
  if (isJsonObject(properties)) {
    const required: readonly JsonValue[] = Array.isArray(schema.required) ? schema.required : [];
    const fields = Object.entries(properties).map(
      ([name, each]) => `${name}${required.includes(name) ? "" : "?"}: ${inputType(objectOf(each))}`,
    );
    return `{ ${fields.join("; ")} }`;
  }
  if (type === "integer") return "number | string";
  if (type === "object" || type === "boolean") return type;
  if (type === "string") return format === "date-time" ? "Date | string" : "string";
  return "unknown";
}

function nameWithMarks(row: NamedRow): string {
  const hasChain = describeParameters(row).some(({ name }) => name === "chain");
  return `${row.name}${row.path.includes("{address}") ? "@" : ""}${hasChain ? "" : "!"}`;
}

function routesFile(): string {
  return `${GENERATED_NOTICE}
import type { Operation } from "./operation.ts";

/** Where a REST service has each operation; loaded with the first call of one. */
export const routes: Readonly<Record<string, Operation>> = {\n${rowsByGroup().map(route).join("\n")}\n};
`;
}

function route(row: NamedRow): string {
  const parameters = describeParameters(row);
  const fields = [`route: "${row.method} ${row.path}"`];
  if (row.body && "parameter" in row.body) fields.push(`whole: [${quoted(row.body.parameter).join(", ")}]`);
  else if (row.body) {
    const inBody = parameters.filter((each) => each.in === "body");
    const properties = inBody.map(({ name, required }) => `${name}: "${required ? "required" : "optional"}"`);
    fields.push(`body: { ${properties.join(", ")} }`);
  }
  return `${row.name}: { ${fields.join(", ")} },`;
}

function resultsFile(): string {
  return `${GENERATED_NOTICE}
import type { JsonObject } from "@purse/protocol";

/*
 * Results of the data API. Amounts, block numbers and gas are decimal text, timestamps ISO 8601 in UTC,
 * addresses lower-case hex.
 */

/** A part of a longer list; \`next\`, where there is more, fetches the following part. */
export interface Page<Row> {
  /** Number of rows of all pages; absent with \`disable_total\`. */
  total: number;
  /** Counted from 0. */
  page: number;
  page_size: number;
  cursor?: string | null;
  /** Of events: the first block whose events the server keeps; absent if it has removed none. */
  kept_from_block?: string;
  result: Row[];
  next?: () => Promise<Page<Row>>;
}

${Object.entries(schemas).map(declaration).filter(Boolean).join("\n\n")}
`;
}

/** Empty for schemas without a type of their own. */
function declaration([name, schema]: [string, JsonObject]): string {
  const own = typeName(name);
  if (resultType(name) !== own) return "";
  const row = rowOfPage(schema);
  const fields = fieldsOf(schema).filter(([field]) => !row || !PAGE_FIELDS.includes(field));
  const required = Array.isArray(schema.required) ? schema.required : [];
  const lines = fields.map(
    ([field, each]) => `${propertyName(field)}${required.includes(field) ? "" : "?"}: ${valueType(each)};`,
  );
  if (isPage(schema)) lines.push(`next?: () => Promise<${own}>;`);
  return `/** ${schema.description} */\nexport interface ${own}${row ? ` extends Page<${row}>` : ""} {\n${lines.join("\n")}\n}`;
}

function fieldsOf({ properties }: JsonObject): [string, JsonObject][] {
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, each]) => [
    name,
    objectOf(each),
  ]);
}

function isPage(schema: JsonObject): boolean {
  return fieldsOf(schema).some(([name]) => name === "page_size");
}

/** The type of the rows if the schema is a page with a total. */
function rowOfPage(schema: JsonObject): string | undefined {
  const fields = new Map(fieldsOf(schema));
  const result = fields.get("result");
  return isPage(schema) && fields.has("total") && result ? valueType(objectOf(result.items)) : undefined;
}

function propertyName(field: string): string {
  return /^[a-z_]\w*$/i.test(field) ? field : JSON.stringify(field);
}

function valueType({ $ref, anyOf, type, items, enum: choices }: JsonObject): string {
  if (Array.isArray(choices)) return quoted(choices).join(" | ");
  if (typeof $ref === "string") return resultType($ref.slice($ref.lastIndexOf("/") + 1));
  if (Array.isArray(anyOf)) return anyOf.map((each) => valueType(objectOf(each))).join(" | ");
  if (Array.isArray(type)) return type.map((each) => valueType({ type: each })).join(" | ");
  if (type === "array") return `${valueType(objectOf(items))}[]`;
  if (type === "integer") return "number";
  return type === "object" ? "JsonObject" : String(type);
}

function resultType(name: string): string {
  const schema = schemas[name];
  if (!schema) throw new Error(`There is no schema ${name}`);
  if (name === TEXT_RESULT) return "string";
  const row = rowOfPage(schema);
  const fields = fieldsOf(schema);
  if (row && fields.every(([field]) => PAGE_FIELDS.includes(field))) return `Page<${row}>`;
  return fields.length === 0 ? "JsonObject" : typeName(name);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Error("A JSON Schema is not an object");
}

function typeName(schema: string): string {
  return NAMES[schema] ?? schema.charAt(0).toUpperCase() + schema.slice(1);
}

function quoted(texts: readonly JsonValue[]): string[] {
  return texts.map((each) => JSON.stringify(each));
}
