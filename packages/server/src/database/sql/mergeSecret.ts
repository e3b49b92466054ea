import type { JsonObject } from "@purse/protocol";

/** Merges a patch into a secret as JSON text. null removes a key; an empty secret becomes null. */
export function mergeSecret(current: string | null, patch: JsonObject | undefined): string | null {
  if (!patch) return current;
  const merged: JsonObject = { ...(current === null ? {} : JSON.parse(current)), ...patch };
  for (const key of Object.keys(merged)) if (merged[key] === null) delete merged[key];
  return Object.keys(merged).length === 0 ? null : JSON.stringify(merged);
}
