import { type ParseObject, Query } from "@purse/client";
import { useMoralis } from "@purse/react";
import type { QueryResult } from "@purse/ui";
import { useRef } from "react";
import { useServerQuery } from "../../query/useServerQuery.ts";

/**
 * The record whose panel is open, if any: one of those that were found, or any other of its class, which is read. It stays when
 * it leaves the list, because it was deleted, changed or sorted away meanwhile: the panel may have input.
 */
export function useOpenedRecord(
  className: string,
  id: string | undefined,
  found: QueryResult<readonly ParseObject[]>,
): { record: ParseObject | undefined; error: unknown } {
  const userId = useMoralis().user?.id;
  const listed = found.data?.find((record) => record.id === id);
  const last = useRef<ParseObject>(undefined);
  if (listed) last.current = listed;
  const known = last.current?.id === id ? last.current : undefined;
  const isElsewhere = id !== undefined && id !== "new" && known === undefined && found.data !== undefined;
  const { data, error } = useServerQuery({
    queryKey: isElsewhere ? ["record", className, id, userId] : undefined,
    queryFn: (options) => new Query(className).get(id ?? "", options),
    isUncached: true,
    isMutable: true,
  });
  return { record: known ?? data, error: known || data ? null : error };
}
