import { type OwnSession, useMoralis, useSessions } from "@purse/react";
import type { QueryResult } from "../../design/QueryState.tsx";
import { useServerQuery } from "../../query/useServerQuery.ts";

/** Where one is signed in, newest first, and the ways to end that. */
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
