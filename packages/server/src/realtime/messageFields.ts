import {
  CLIENT_JSON,
  ErrorCode,
  isJsonObject,
  type JsonLimits,
  type JsonObject,
  type JsonValue,
  MAX_KEYS,
  ProtocolError,
  parseJson,
  parsePath,
} from "@purse/protocol";

/** Limits of a message: enough for a where with a list of 20,000 strings. */
export const MESSAGE_JSON_LIMITS: JsonLimits = { ...CLIENT_JSON, nodes: 25_000, values: 50_000 };

/** Parses a message of a client. Throws 107 if it is not a JSON object, or too large. */
export function parseMessage(text: string | undefined): JsonObject {
  try {
    const message = parseJson(text ?? "", MESSAGE_JSON_LIMITS);
    if (isJsonObject(message)) return message;
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    // Handled below, like any other invalid message.
  }
  throw new ProtocolError(ErrorCode.INVALID_JSON, "a message must be a JSON object");
}

/** The ID of the request that a message belongs to, if it has a valid one. */
export function requestIdOf({ requestId }: JsonObject): number | string | undefined {
  return typeof requestId === "number" || typeof requestId === "string" ? requestId : undefined;
}

/** The fields that paths of a list begin with, sorted; undefined for no restriction. Throws 102 or 105. */
export function fieldsOf(value: JsonValue | undefined, name: string): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  // Queries created by cloud code separate their fields with commas.
  const list: JsonValue = typeof value === "string" ? value.split(",", MAX_KEYS + 1) : value;
  if (!Array.isArray(list)) throw invalid(`${name} must be an array of field names`);
  if (list.length > MAX_KEYS) throw invalid(`${name} takes ${MAX_KEYS} names at most`);
  const fields = list.map((field: unknown) => {
    if (typeof field !== "string") throw invalid(`${name} must be an array of field names`);
    return parsePath(field)[0];
  });
  return fields.length > 0 ? [...new Set(fields)].sort() : undefined;
}

/** A text that is not empty. */
export function stringField(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The error 102 of an invalid subscription. */
export function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, message);
}
