import type { JsonObject } from "@purse/protocol";
import { z } from "zod";

/** An operation of an HTTP API, to be described in OpenAPI. */
export interface ApiOperation {
  method: string;
  /** Path with named segments: `/classes/:className`. */
  path: string;
  tag: string;
  summary: string;
  /** Parameters of the query string. */
  query?: z.ZodObject;
  /** Schemas of the body by content type; undefined for bytes. */
  body?: Readonly<Record<string, z.ZodType | undefined>>;
  /** Successful response, JSON unless there are content types of streams. */
  response: z.ZodType;
  status?: number;
  streams?: readonly string[];
  /** Descriptions of errors by status, besides `default`. */
  errors?: Readonly<Record<number, string>>;
  /** Alternatives of security schemes. */
  security: JsonObject[];
  /** Further parameters, as references to components. */
  parameters?: JsonObject[];
  /** Who may call it, for the documentation. */
  access: string;
}

export interface ApiDescription {
  title: string;
  description: string;
  serverUrl: string;
  operations: readonly ApiOperation[];
  error: z.ZodType;
  securitySchemes: JsonObject;
  parameters?: JsonObject;
}

const API_VERSION = "1";

/** The document of an API that does not change: in OpenAPI 3.1, made when it is requested first. */
export function createOpenApi(api: () => ApiDescription): () => JsonObject {
  let document: JsonObject | undefined;
  return () => {
    document ??= describeApi(api());
    return document;
  };
}

/** Describes an API in OpenAPI 3.1. Schemas with an id become components. */
export function describeApi(api: ApiDescription): JsonObject {
  const schemas: JsonObject = {};
  const schemaOf = (schema: z.ZodType, io: "input" | "output") => jsonSchemaOf(schema, io, schemas);
  const paths: Record<string, JsonObject> = {};
  for (const operation of api.operations) {
    const path = operation.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: describeOperation(operation, api.error, schemaOf),
    };
  }
  const error = schemaOf(api.error, "output");
  return {
    openapi: "3.1.0",
    info: { title: api.title, version: API_VERSION, description: api.description },
    servers: [{ url: api.serverUrl }],
    tags: [...new Set(api.operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      responses: { Error: { description: "An error", content: { "application/json": { schema: error } } } },
      securitySchemes: api.securitySchemes,
      ...(api.parameters && { parameters: api.parameters }),
    },
  };
}

type SchemaOf = (schema: z.ZodType, io: "input" | "output") => JsonObject;

function describeOperation(operation: ApiOperation, error: z.ZodType, schemaOf: SchemaOf): JsonObject {
  const { method, path, body, streams } = operation;
  const names = [...path.matchAll(/:(\w+)/g)].flatMap(([, name]) => name ?? []);
  const parameters = [
    ...names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    ...queryParameters(operation, schemaOf),
    ...(operation.parameters ?? []),
  ];
  const content = streams
    ? Object.fromEntries(streams.map((type) => [type, {}]))
    : { "application/json": { schema: schemaOf(operation.response, "output") } };
  return {
    operationId: operationId(method, path),
    tags: [operation.tag],
    summary: operation.summary,
    "x-access": operation.access,
    security: operation.security,
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        content: Object.fromEntries(
          Object.entries(body).map(([type, schema]): [string, JsonObject] => [
            type,
            schema ? { schema: schemaOf(schema, "input") } : {},
          ]),
        ),
      },
    }),
    responses: {
      [String(operation.status ?? 200)]: { description: "Success", content },
      ...Object.fromEntries(
        Object.entries(operation.errors ?? {}).map(([status, description]) => [
          status,
          {
            description,
            content: { "application/json": { schema: schemaOf(error, "output") } },
          },
        ]),
      ),
      default: { $ref: "#/components/responses/Error" },
    },
  };
}

/** Parameters of the query string; objects and lists are sent as JSON. */
function queryParameters({ query }: ApiOperation, schemaOf: SchemaOf): JsonObject[] {
  if (!query) return [];
  const { properties, required = [] } = schemaOf(query, "input");
  return Object.entries(Object(properties)).map(([name, property]): JsonObject => {
    const { description, ...schema }: JsonObject = Object(property);
    const isJson = schema.type === "object" || schema.type === "array";
    return {
      name,
      in: "query",
      ...(description !== undefined && { description }),
      ...(Array.isArray(required) && required.includes(name) && { required: true }),
      ...(isJson ? { content: { "application/json": { schema } } } : { schema }),
    };
  });
}

function operationId(method: string, path: string): string {
  const words = path.split(/\W+/).filter(Boolean);
  return method.toLowerCase() + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

/** Converts a schema; schemas with ids within it are added to `components`. */
function jsonSchemaOf(schema: z.ZodType, io: "input" | "output", components: JsonObject): JsonObject {
  // Only schemas within another one become definitions.
  const { $defs = {}, properties } = z.toJSONSchema(z.object({ schema }), {
    io,
    unrepresentable: "any",
    override({ jsonSchema }) {
      delete jsonSchema.id;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.maxLength === Number.MAX_SAFE_INTEGER) delete jsonSchema.maxLength;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (io === "output") delete jsonSchema.additionalProperties;
    },
  });
  const convert = (value: unknown): JsonObject =>
    JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'));
  for (const [id, definition] of Object.entries($defs)) components[id] ??= convert(definition);
  return convert(properties?.schema);
}
