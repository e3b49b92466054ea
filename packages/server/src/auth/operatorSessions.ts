import type { Store } from "../database/store.ts";
import { sessionRevocationWrites } from "./sessionRecord.ts";
import { UNIQUE_KEYS } from "./uniqueKeys.ts";

/** Revokes the sessions of users that an operator has started; returns their IDs. They may still be cached. */
export async function revokeOperatorSessions(store: Store, operatorId: string): Promise<readonly string[]> {
  const ids = await store.getUniqueValues(UNIQUE_KEYS.operatorSession, operatorId);
  if (ids.length === 0) return [];
  await store.write([
    ...ids.flatMap(sessionRevocationWrites),
    { kind: "releaseAllUnique", scope: UNIQUE_KEYS.operatorSession, owner: operatorId },
  ]);
  return ids;
}
