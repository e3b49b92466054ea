import { type OwnSession, useMoralis, useSessions } from "@purse/react";
import type { QueryResult } from "@purse/ui";
import { useServerQuery } from "../../query/useServerQuery.ts";

/** The sessions of the user, newest first, with functions to revoke them. */
export function useOwnSessions() {
  const { user } = useMoralis();
  const { fetch, revoke, revokeOthers } = useSessions({ autoFetch: false });
  const query: QueryResult<readonly OwnSession[]> = useServerQuery({
    queryKey: ["sessions", user?.id],
    queryFn: async ({ signal }) => (await fetch({ signal, throwOnError: true })) ?? [],
    isMutable: true,
  });
  return { query, revoke, revokeOthers };
}
