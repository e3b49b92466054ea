import type { StudioApiKey } from "@purse/server/studio-api";

export type ApiKeyRow = StudioApiKey & { usedThisMinute: number };

/** Display name of a key. */
export function keyName({ name, id }: StudioApiKey): string {
  return name ?? id;
}
