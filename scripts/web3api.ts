/*
 * Generates the client's Web3API from the data service's table of endpoints: operations.ts and results.ts below
 * packages/client/src/web3api. `--check` writes nothing and fails where a file is stale.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import {
  ENDPOINTS,
  type EndpointRow,
  type Fields,
  type FieldType,
  type Kind,
  type ParameterRow,
  SCHEMAS,
  type Schema,
} from "@purse/chain";

const ROOT = resolve(import.meta.dirname, "..");
const FOLDER = join(ROOT, "packages/client/src/web3api");
const GENERATED_NOTICE =
  "// Written by scripts/web3api.ts from the data service's table of endpoints: change that, not this.";

const rows: readonly EndpointRow[] = ENDPOINTS;
const schemas: Readonly<Record<string, Schema>> = SCHEMAS;

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

/** The TypeScript type of each kind of parameter. */
const INPUT_TYPES: Readonly<Record<Kind, string>> = {
  chain: "string | number",
  address: "string",
  addresses: "string | readonly string[]",
  hash: "string",
  blockOrHash: "string | number",
  text: "string",
  texts: "string | readonly string[]",
  integer: "number | string",
  block: "number | string",
  time: "Date | string | number",
  limit: "number",
  offset: "number",
  cursor: "string",
  format: '"decimal" | "hex"',
  choice: "string",
  choices: "string | readonly string[]",
  abi: "object",
  json: "object",
  files: "readonly { path: string; content: unknown }[]",
  tokenId: "string | number | bigint",
  domain: "string",
  days: "number",
  order: "string",
  ignored: "string",
};

const SCALARS: Readonly<Record<string, string>> = {
  integer: "number",
  number: "number",
  boolean: "boolean",
  object: "JsonObject",
};

const stale = [
  { path: join(FOLDER, "operations.ts"), text: operationsFile() },
  { path: join(FOLDER, "results.ts"), text: resultsFile() },
].filter(({ path, text }) => {
  const wanted = formatted(text);
  if (readFileSync(path, "utf8") === wanted) return false;
  if (!process.argv.includes("--check")) writeFileSync(path, wanted);
  return true;
});
for (const { path } of stale) console.log(relative(ROOT, path));
if (stale.length > 0 && process.argv.includes("--check")) {
  console.error("stale: write them with `node scripts/run.mjs scripts/web3api.ts`");
  process.exit(1);
}

function operationsFile(): string {
  const groups = Object.entries(Object.groupBy(rowsByGroup(), ({ group }) => group));
  const types = groups.map(([group, of = []]) => `readonly ${group}: {\n${of.map(callType).join("\n")}\n};`);
  const values = groups.map(([group, of = []]) => `${group}: {\n${of.map(route).join("\n")}\n},`);
  const body = `export interface Operations {\n${types.join("\n")}\n}

/** Where the REST service has each operation. */
export const operations = {\n${values.join("\n")}\n} as const satisfies OperationTable;\n`;
  const results = [...new Set([...body.matchAll(/\b[A-Z]\w+\b/g)].map(([name]) => name))].filter((name) =>
    isResult(name),
  );
  return `${GENERATED_NOTICE}
import type { JsonObject } from "@purse/protocol";
import type { Call, OneOf, OperationTable } from "./operation.ts";
import type { ${results.toSorted().join(", ")} } from "./results.ts";

/** The calls of each group, by the parameters that they take and what they answer. */
${body}`;
}

/** In the order of the groups in Moralis. */
function rowsByGroup(): EndpointRow[] {
  const order = ["native", "account", "token", "resolve", "defi", "storage", "info"];
  return rows.toSorted((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
}

function isResult(name: string): boolean {
  return name === "Page" || Object.keys(schemas).some((each) => typeName(each) === name);
}

function callType(row: EndpointRow): string {
  const whole = typeof row.body === "object" ? row.body.parameter : undefined;
  const named = row.parameters.filter((each) => !whole || each.in !== "body");
  const fields = `{ ${named.map(parameterType).join(" ")} }`;
  const body = row.parameters.find((each) => each.in === "body");
  const both = [
    ...(named.length > 0 ? [fields] : []),
    ...(whole && body ? [`OneOf<${quoted(whole).join(" | ")}, ${INPUT_TYPES[body.kind]}>`] : []),
  ];
  const parameters = both.join(" & ") || "Record<never, never>";
  return `/** ${row.about} */\nreadonly ${row.name}: Call<${parameters}, ${responseType(row.response)}>;`;
}

function parameterType(row: ParameterRow): string {
  const { name, kind, required, choices = [] } = row;
  const one = quoted(choices).join(" | ");
  const type =
    kind === "choice" ? one : kind === "choices" ? `string | readonly (${one})[]` : INPUT_TYPES[kind];
  // The signed-in user's address, or the connected wallet's, is meant where there is none.
  return `${name}${required && name !== "address" ? "" : "?"}: ${type};`;
}

function responseType(answer: string): string {
  const one = resultType(answer.replace("[]", ""));
  return answer.endsWith("[]") ? `${one}[]` : one;
}

function route(row: EndpointRow): string {
  const fields = [`route: "${row.method} ${row.path}"`];
  if (!row.parameters.some(({ kind }) => kind === "chain")) fields.push("chainless: true");
  const inBody = row.parameters.filter((each) => each.in === "body");
  if (typeof row.body === "object") fields.push(`whole: [${quoted(row.body.parameter).join(", ")}]`);
  if (row.body === "properties")
    fields.push(
      `body: { ${inBody.map(({ name, required }) => `${name}: ${required ? '"required"' : '"optional"'}`).join(", ")} }`,
    );
  return `${row.name}: { ${fields.join(", ")} },`;
}

function resultsFile(): string {
  return `${GENERATED_NOTICE}
import type { JsonObject } from "@purse/protocol";

/*
 * Results of the data service. Amounts, block numbers and gas are decimal text, timestamps ISO 8601 in UTC,
 * addresses lower-case hex.
 */

/** A part of a longer list; \`next\`, where there is more, fetches the following part. */
export interface Page<Row> {
  total: number;
  /** Counted from 0. */
  page: number;
  page_size: number;
  cursor?: string | null;
  result: Row[];
  next?: () => Promise<Page<Row>>;
}

${Object.entries(schemas).map(declaration).filter(Boolean).join("\n\n")}
`;
}

/** Empty for schemas without a type of their own. */
function declaration([name, schema]: [string, Schema]): string {
  const own = typeName(name);
  if (resultType(name) !== own || "text" in schema) return "";
  const fields = Object.entries(schema.fields ?? {}).map(([field, type]) => fieldText(field, type));
  if (!("pageOf" in schema))
    return `/** ${schema.about} */\nexport interface ${own} {\n${fields.join("\n")}\n}`;
  const following = `next?: () => Promise<${own}>;`;
  return `/** ${schema.about} */\nexport interface ${own} extends Page<${typeName(schema.pageOf)}> {\n${[...fields, following].join("\n")}\n}`;
}

function fieldText(name: string, type: FieldType): string {
  if (typeof type === "object")
    return "list" in type ? `${name}: ${valueType(type.list)}[];` : `${name}: ${valueType(type.of)};`;
  return type.endsWith("?")
    ? `${name}?: ${valueType(type.slice(0, -1))} | null;`
    : `${name}: ${valueType(type)};`;
}

function valueType(name: string): string {
  return Object.hasOwn(schemas, name) ? resultType(name) : (SCALARS[name] ?? "string");
}

function resultType(name: string): string {
  const schema = schemas[name];
  if (!schema) throw new Error(`There is no schema ${name}`);
  if ("text" in schema) return "string";
  if ("pageOf" in schema)
    return isEmpty(schema.fields ?? {}) ? `Page<${typeName(schema.pageOf)}>` : typeName(name);
  return isEmpty(schema.fields) ? "JsonObject" : typeName(name);
}

function isEmpty(fields: Fields): boolean {
  return Object.keys(fields).length === 0;
}

function typeName(schema: string): string {
  return NAMES[schema] ?? schema.charAt(0).toUpperCase() + schema.slice(1);
}

function quoted(texts: readonly string[]): string[] {
  return texts.map((each) => JSON.stringify(each));
}

function formatted(text: string): string {
  const biome = join(ROOT, "node_modules/.bin/biome");
  const { status, stdout, stderr } = spawnSync(
    biome,
    ["check", "--write", "--stdin-file-path=packages/client/src/web3api/written.ts"],
    {
      cwd: ROOT,
      input: text,
      encoding: "utf8",
    },
  );
  if (status !== 0 && stdout === "") throw new Error(`biome refuses the text: ${stderr}`);
  return stdout;
}
