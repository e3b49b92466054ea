import type { JsonObject } from "@purse/protocol";

/** A secret with a change laid over it, as JSON text; a null removes a key, and nothing left is null. */
export function mergeSecret(current: string | null, patch: JsonObject | undefined): string | null {
  if (!patch) return current;
  const merged: JsonObject = { ...(current === null ? {} : JSON.parse(current)), ...patch };
  for (const key of Object.keys(merged)) if (merged[key] === null) delete merged[key];
  return Object.keys(merged).length === 0 ? null : JSON.stringify(merged);
}
