import type { StudioApiKey } from "@purse/protocol";

export type ApiKeyRow = StudioApiKey & { usedThisMinute: number };

/** What people call a key. */
export function keyName({ name, id }: StudioApiKey): string {
  return name ?? id;
}
