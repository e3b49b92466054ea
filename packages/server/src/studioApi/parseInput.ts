import {
  ErrorCode,
  type JsonObject,
  type JsonValue,
  ownValue,
  ProtocolError,
  tryParseJson,
} from "@purse/protocol";
import { z } from "zod";

/**
 * Validates the parameters of an endpoint. Texts of parameters that are not texts are decoded, because query strings
 * consist of texts: `5`, `true`, JSON. An empty text and null count as missing where they are not valid. Throws 102,
 * naming the parameter.
 */
export function parseInput<Input extends z.ZodObject>(schema: Input, params: JsonObject): z.output<Input> {
  const decoded: JsonObject = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    const value = ownValue(params, name);
    if (value === undefined) continue;
    if (z.safeParse(field, value).success) decoded[name] = value;
    else if (value !== "" && value !== null)
      decoded[name] = typeof value === "string" ? decode(name, field, value) : value;
  }
  const { success, data, error } = schema.safeParse(decoded, { error: describeIssue });
  if (success) return data;
  const [issue] = error.issues;
  throw invalidParameter(`${issue?.path.join(".") ?? "the body"} ${issue?.message ?? "is not valid"}`);
}

/** An error of a parameter that no schema describes. */
export function invalidParameter(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, message);
}

function decode(name: string, field: z.core.$ZodType, text: string): JsonValue {
  switch (innerType(field)) {
    case "string":
    case "enum":
      return text;
    case "number":
      return /^\d+$/.test(text) ? Number(text) : text;
    case "boolean":
      return text === "1"
        ? true
        : text === "0"
          ? false
          : text === "true" || (text === "false" ? false : text);
    default:
      return parseJson(name, text);
  }
}

/** The type of a schema that may be optional or have a default. */
function innerType(field: z.core.$ZodType): string {
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault) return innerType(field.def.innerType);
  return field._zod.def.type;
}

function parseJson(name: string, text: string): JsonValue {
  const value = tryParseJson(text);
  if (value === undefined) throw invalidParameter(`${name} must be JSON`);
  return value;
}

/** The message of an issue, as a phrase that follows the name of the parameter. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined || issue.input === "") return "is missing";
  if (issue.code === "invalid_type") return TYPE_MESSAGES[issue.expected] ?? `must be ${issue.expected}`;
  if (issue.code === "too_big" && issue.origin === "string") {
    return `must be a string of at most ${issue.maximum} characters`;
  }
  if (issue.code === "too_small" && issue.origin === "array")
    return `must be a list of at least ${issue.minimum} ${issue.minimum === 1 ? "item" : "items"}`;
  if (issue.code === "too_big" && issue.origin === "array")
    return `must be a list of at most ${issue.maximum} ${issue.maximum === 1 ? "item" : "items"}`;
  if (issue.code === "too_big" || issue.code === "too_small") return TYPE_MESSAGES.int;
  if (issue.code === "invalid_value") return `must be ${alternatives(issue.values.map(String))}`;
  return undefined;
}

const TYPE_MESSAGES: Readonly<Record<string, string>> = {
  string: "must be a string",
  number: "must be a non-negative integer",
  int: "must be a non-negative integer",
  boolean: "must be true or false",
  array: "must be a list of strings",
  object: "must be an object",
};

function alternatives(values: readonly string[]): string {
  const last = values.at(-1) ?? "";
  return values.length > 1 ? `${values.slice(0, -1).join(", ")} or ${last}` : last;
}
