import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";

/*
 * Reads parameters, which come typed (JSON body) or as text (query string). Each throws 102 and names the parameter.
 */

export function textIn(params: JsonObject, name: string, most = 2_000): string {
  const value = optionalTextIn(params, name, most);
  if (value === undefined) throw invalid(`${name} is missing`);
  return value;
}

export function optionalTextIn(params: JsonObject, name: string, most = 2_000): string | undefined {
  const value = params[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string" && value.length <= most) return value;
  throw invalid(`${name} must be a text of at most ${most} characters`);
}

export function wholeIn(params: JsonObject, name: string, fallback: number, most: number): number {
  const value = params[name];
  if (value === undefined || value === null || value === "") return fallback;
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number) && number >= 0)
    return Math.min(number, most);
  throw invalid(`${name} must be a whole number from 0`);
}

export function flagIn(params: JsonObject, name: string): boolean {
  const value = params[name];
  if (value === undefined || value === null) return false;
  if (value === true || value === "true" || value === "1") return true;
  if (value === false || value === "false" || value === "0") return false;
  throw invalid(`${name} must be true or false`);
}

/** An object, which in a query string is JSON text. */
export function objectIn(params: JsonObject, name: string): JsonObject {
  const value = optionalObjectIn(params, name);
  if (value) return value;
  throw invalid(`${name} is missing`);
}

export function optionalObjectIn(params: JsonObject, name: string): JsonObject | undefined {
  const value = params[name];
  if (value === undefined || value === null || value === "") return undefined;
  const parsed = typeof value === "string" ? parsedJson(value, name) : value;
  if (isJsonObject(parsed)) return parsed;
  throw invalid(`${name} must be an object`);
}

export function textsIn(params: JsonObject, name: string): string[] {
  const value = params[name];
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw invalid(`${name} must be a list of texts`);
}

function parsedJson(text: string, name: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(`${name} must be JSON`);
  }
}

export function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_QUERY, message);
}
