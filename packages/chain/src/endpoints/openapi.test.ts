import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { openApi } from "./openapi.ts";
import type { EndpointRow } from "./rows/row.ts";
import { ENDPOINTS } from "./table.ts";

const URL_OF_IT = "https://purse.example/api/v2";
const description = openApi(URL_OF_IT);
const rows: readonly [string, EndpointRow][] = Object.entries(ENDPOINTS);

function at(value: JsonValue | undefined, ...names: string[]): JsonValue | undefined {
  return names.reduce<JsonValue | undefined>(
    (inner, name) => (isJsonObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );
}

function objectAt(value: JsonValue | undefined, ...names: string[]): JsonObject {
  const found = at(value, ...names);
  if (isJsonObject(found)) return found;
  throw new Error(`there is no object at ${names.join(".")}`);
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((each) => objectsIn(each));
  return isJsonObject(value) ? [value, ...Object.values(value).flatMap((each) => objectsIn(each))] : [];
}

function target(reference: string): JsonValue | undefined {
  const names = reference.replace("#/", "").split("/");
  return at(description, ...names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~")));
}

const operations = Object.entries(objectAt(description, "paths")).flatMap(([path, item]) =>
  Object.keys(objectAt(item)).map((method) => ({ path, method, operation: objectAt(item, method) })),
);

/** Whether a value matches a schema, for the JSON Schema keywords that the document uses. */
function problems(value: JsonValue | undefined, schema: JsonObject, where: string): string[] {
  if (Array.isArray(schema.anyOf)) {
    const found = schema.anyOf.map((each) => problems(value, objectAt(each), where));
    return found.some((each) => each.length === 0) ? [] : found.flat();
  }
  if (typeof schema.$ref === "string") return problems(value, objectAt(target(schema.$ref)), where);
  const types = [schema.type ?? []].flat();
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const isType = types.some((each) => each === type || (each === "integer" && Number.isInteger(value)));
  if (types.length > 0 && !isType) return [`${where} is of type ${type}, not ${types.join(" or ")}`];
  if (typeof value === "string" && typeof schema.pattern === "string")
    return new RegExp(schema.pattern, "u").test(value) ? [] : [`${where} is not ${schema.pattern}: ${value}`];
  if (Array.isArray(value) && isJsonObject(schema.items)) {
    const items = schema.items;
    return value.flatMap((each, i) => problems(each, items, `${where}[${i}]`));
  }
  if (!isJsonObject(value) || !isJsonObject(schema.properties)) return [];
  const missing = [schema.required ?? []].flat().filter((name) => !Object.hasOwn(value, String(name)));
  return [
    ...missing.map((name) => `${where} has no ${name}`),
    ...Object.entries(schema.properties).flatMap(([name, inner]) =>
      Object.hasOwn(value, name) ? problems(value[name], objectAt(inner), `${where}.${name}`) : [],
    ),
  ];
}

it("the document conforms to OpenAPI 3.1, with the server's URL, and can be serialized to JSON", () => {
  expect(description).toMatchObject({
    openapi: "3.1.0",
    info: { title: expect.any(String), version: expect.any(String) },
    servers: [{ url: URL_OF_IT }],
  });
  expect(JSON.parse(JSON.stringify(description))).toEqual(description);
});

it("the document has all operations, each under its own id and with the tag of its group", () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(rows.length);
  expect(ids.toSorted()).toEqual(rows.map(([name]) => name).toSorted());
  for (const [name, row] of rows) {
    const { operation } = operations.find((each) => each.operation.operationId === name) ?? {};
    expect(operation?.tags).toEqual([row.group]);
    expect(at(description, "paths", row.path, row.method.toLowerCase())).toBe(operation);
  }
  const tags = at(description, "tags");
  expect(Array.isArray(tags) && tags.map((tag) => at(tag, "name"))).toEqual([
    ...new Set(["native", "account", "token", "resolve", "defi", "storage", "info"]),
  ]);
});

it("the document references only existing schemas", () => {
  const references = objectsIn(description).flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []));
  expect(references.length).toBeGreaterThan(100);
  expect(references.filter((each) => !isJsonObject(target(each)))).toEqual([]);
});

it("the document uses every schema", () => {
  const references = new Set(objectsIn(description).map(({ $ref }) => $ref));
  const unused = Object.keys(objectAt(description, "components", "schemas")).filter(
    (name) => !references.has(`#/components/schemas/${name}`),
  );
  expect(unused).toEqual([]);
});

it("the document names the header of the API key", { tags: ["7.data.api-key-header"] }, () => {
  expect(at(description, "components", "securitySchemes", "apiKey")).toEqual({
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
  });
});

it("the document has examples that match their schemas", () => {
  const schemas = objectsIn(description).filter(({ examples }) => Array.isArray(examples));
  expect(schemas.length).toBeGreaterThan(200);
  for (const schema of schemas)
    for (const example of [schema.examples ?? []].flat())
      expect(problems(example, schema, JSON.stringify(schema))).toEqual([]);
});

describe.each(operations)("$method $path", ({ path, method, operation }) => {
  const parameters = objectsIn(operation.parameters).filter((each) => "in" in each);

  it("declares all path parameters, and each parameter once, with a schema", () => {
    const inPath = parameters.filter((each) => each.in === "path");
    expect(inPath.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    expect(inPath.every(({ required }) => required === true)).toBe(true);
    expect(new Set(parameters.map((each) => `${each.in} ${each.name}`)).size).toBe(parameters.length);
    for (const each of parameters) expect(Object.keys(objectAt(each, "schema"))).not.toEqual([]);
  });

  it("has a body only if the method allows one", () => {
    expect(operation.requestBody !== undefined).toBe(method === "post");
  });

  it("has a response with a schema, and errors as { message }", () => {
    const responses = objectAt(operation, "responses");
    expect(Object.keys(responses)).toEqual(
      [
        operation.operationId === "syncNFTContract" ? "201" : "200",
        "400",
        "401",
        "404",
        "429",
        "503",
      ].toSorted(),
    );
    const [success = ""] = Object.keys(responses);
    const content = objectAt(responses, success, "content", "application/json");
    expect(Object.keys(objectAt(content, "schema"))).not.toEqual([]);
    for (const status of ["400", "401", "404", "429", "503"]) {
      const failure = objectAt(target(String(at(responses, status, "$ref"))));
      expect(at(failure, "content", "application/json", "schema")).toEqual({
        $ref: "#/components/schemas/failure",
      });
    }
  });
});
