import { isJsonObject, isoTime, type JsonObject, type JsonValue } from "@purse/protocol";
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from "graphql";
import { UploadedFile } from "./context.ts";

function invalid(value: unknown, type: string): GraphQLError {
  const text = typeof value === "object" && value !== null ? "This object" : String(value);
  return new GraphQLError(`${text} is not a valid ${type}`);
}

/** Returns the JSON value of a literal. Variables inside of it are not supported, as in Parse Server. */
function literalValue(node: ValueNode): JsonValue {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.STRING:
    case Kind.BOOLEAN:
    case Kind.ENUM:
      return node.value;
    case Kind.LIST:
      return node.values.map(literalValue);
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, literalValue(value)]));
    case Kind.NULL:
      return null;
    case Kind.VARIABLE:
      throw invalid(`$${node.name.value}`, "value here: pass the whole value as a variable");
  }
}

/** Creates a scalar whose literals are coerced like values of variables. */
function scalar<Internal>(
  name: string,
  description: string,
  toInternal: (value: unknown) => Internal,
  toExternal: (value: unknown) => unknown,
): GraphQLScalarType<Internal, unknown> {
  return new GraphQLScalarType<Internal, unknown>({
    name,
    description,
    parseValue: toInternal,
    serialize: toExternal,
    parseLiteral: (node) => toInternal(literalValue(node)),
  });
}

export const ANY = scalar<unknown>(
  "Any",
  "The Any scalar type is used in operations and types that involve any type of value.",
  (value) => value,
  (value) => value,
);

function objectOf(value: unknown): unknown {
  if (value === null || typeof value !== "object") throw invalid(value, "Object");
  return value;
}

export const OBJECT = scalar<unknown>(
  "Object",
  "The Object scalar type is used in operations and types that involve objects.",
  objectOf,
  objectOf,
);

function isoOf(value: unknown): string {
  const text = isJsonObject(value) && value.__type === "Date" ? value.iso : value;
  const time = typeof text === "string" ? isoTime(text) : text instanceof Date ? text.getTime() : undefined;
  if (time === undefined || Number.isNaN(time)) throw invalid(value, "Date");
  return new Date(time).toISOString();
}

export const DATE = scalar<JsonObject>(
  "Date",
  "The Date scalar type is used in operations and types that involve dates.",
  (value) => ({ __type: "Date", iso: isoOf(value) }),
  isoOf,
);

function base64Of(value: unknown): string {
  const text = isJsonObject(value) && value.__type === "Bytes" ? value.base64 : value;
  if (typeof text !== "string") throw invalid(value, "Bytes");
  return text;
}

export const BYTES = scalar<JsonObject>(
  "Bytes",
  "The Bytes scalar type is used in operations and types that involve base 64 binary data.",
  (value) => ({ __type: "Bytes", base64: base64Of(value) }),
  base64Of,
);

function fileOf(value: unknown): JsonObject {
  if (typeof value === "string") return { __type: "File", name: value };
  const hasUrl = isJsonObject(value) && (value.url === undefined || typeof value.url === "string");
  if (!hasUrl || value.__type !== "File" || typeof value.name !== "string") throw invalid(value, "File");
  return { ...value };
}

export const FILE = scalar<JsonObject>(
  "File",
  "The File scalar type is used in operations and types that involve files.",
  fileOf,
  (value) => fileOf(value).name,
);

export const UPLOAD = new GraphQLScalarType<UploadedFile, never>({
  name: "Upload",
  description: "The Upload scalar type represents a file upload.",
  parseValue(value) {
    if (value instanceof UploadedFile) return value;
    throw new GraphQLError("Upload value invalid.");
  },
  parseLiteral() {
    throw new GraphQLError("Upload literal unsupported.");
  },
  serialize() {
    throw new GraphQLError("Upload serialization unsupported.");
  },
});
