import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";

/*
 * Parses parameters, either typed (JSON body) or as text (query string). Each function throws 102 and names the
 * parameter.
 */

export function stringParameter(params: JsonObject, name: string, max = 2_000): string {
  const value = optionalStringParameter(params, name, max);
  if (value === undefined) throw invalidParameter(`${name} is missing`);
  return value;
}

export function optionalStringParameter(params: JsonObject, name: string, max = 2_000): string | undefined {
  const value = params[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string" && value.length <= max) return value;
  throw invalidParameter(`${name} must be a string of at most ${max} characters`);
}

export function integerParameter(params: JsonObject, name: string, fallback: number, max: number): number {
  const value = params[name];
  if (value === undefined || value === null || value === "") return fallback;
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number) && number >= 0) return Math.min(number, max);
  throw invalidParameter(`${name} must be a non-negative integer`);
}

export function booleanParameter(params: JsonObject, name: string): boolean {
  const value = params[name];
  if (value === undefined || value === null) return false;
  if (value === true || value === "true" || value === "1") return true;
  if (value === false || value === "false" || value === "0") return false;
  throw invalidParameter(`${name} must be true or false`);
}

/** Parses an object, which is JSON text in a query string. */
export function objectParameter(params: JsonObject, name: string): JsonObject {
  const value = optionalObjectParameter(params, name);
  if (value) return value;
  throw invalidParameter(`${name} is missing`);
}

export function optionalObjectParameter(params: JsonObject, name: string): JsonObject | undefined {
  const value = params[name];
  if (value === undefined || value === null || value === "") return undefined;
  const parsed = typeof value === "string" ? parseJsonParameter(value, name) : value;
  if (isJsonObject(parsed)) return parsed;
  throw invalidParameter(`${name} must be an object`);
}

export function stringListParameter(params: JsonObject, name: string): string[] {
  const value = params[name];
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw invalidParameter(`${name} must be a list of strings`);
}

function parseJsonParameter(text: string, name: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidParameter(`${name} must be JSON`);
  }
}

export function invalidParameter(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, message);
}
