import { isJsonObject, type JsonObject } from "@purse/protocol";

/** Validates a list of watches. Throws Error. */
export function parseWatchList(value: unknown): JsonObject[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every(isJsonObject)) return value;
  throw new Error("it must be a list of { chainId, address, tableName, abi, topic, filter, … }");
}
