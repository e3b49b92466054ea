import { type ParseObject, Query } from "@purse/client";
import { useMoralis, useMoralisSubscription } from "@purse/react";
import { type QueryResult, reachability } from "@purse/ui";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { LiveState } from "../components/LiveStatus.tsx";
import { queryClient, useServerQuery } from "./useServerQuery.ts";

type Change = (all: ParseObject[]) => ParseObject[];

export interface LiveRecords extends QueryResult<ParseObject[]> {
  live: LiveState;
  /** Whether there are more records on the server than were read. */
  hasMore: boolean;
  /** Reads twice as many records. */
  showMore: () => void;
}

/** What is cached for a query. */
interface ReadRecords {
  records: ParseObject[];
  /** Whether there were as many as requested, so that there may be others. */
  isFull: boolean;
}

/** The records that are read at first. */
export const PAGE_SIZE = 100;

/** Queries the first records and keeps them up to date by a live query. New records come first. */
export function useLiveRecords(
  className: string,
  build: (query: Query<ParseObject>) => Query<ParseObject>,
  deps: readonly unknown[],
): LiveRecords {
  const userId = useMoralis().user?.id;
  const [limit, setLimit] = useState(PAGE_SIZE);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `deps` covers what `build` uses.
  const unlimited = useMemo(() => build(new Query<ParseObject>(className)), [className, userId, ...deps]);
  const query = useMemo(
    () => Query.fromJSON(className, { ...unlimited.toJSON(), limit }),
    [className, unlimited, limit],
  );
  const key = ["records", className, userId, query.toJSON()];
  const filter = { queryKey: key, exact: true };
  /** Live changes received while a request is pending, whose result may be older. */
  const pendingChanges = useRef<Change[]>([]);
  const { data: read, ...result } = useServerQuery<ReadRecords>({
    queryKey: key,
    async queryFn({ signal }) {
      pendingChanges.current = [];
      const all = await query.find({ signal });
      const records = pendingChanges.current.reduce((before, change) => change(before), all);
      return { records, isFull: all.length >= limit };
    },
    isMutable: true,
  });
  const [connection, setConnection] = useState<"connecting" | "live" | "reconnecting" | "refused">(
    "connecting",
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query opens another subscription.
  useEffect(() => setConnection("connecting"), [unlimited]);
  // Those that are shown stay while more are read.
  const shown = useRef({ query: unlimited, read });
  if (read || shown.current.query !== unlimited) shown.current = { query: unlimited, read };
  const { records, isFull = false } = shown.current.read ?? {};
  const applyChange = (change: Change) => {
    if (queryClient.isFetching(filter) > 0) pendingChanges.current.push(change);
    queryClient.setQueryData<ReadRecords>(key, (all) => all && { ...all, records: change(all.records) });
  };
  const prepend = (record: ParseObject) =>
    applyChange((all) => [record, ...all.filter(({ id }) => id !== record.id)]);
  const remove = (record: ParseObject) => applyChange((all) => all.filter(({ id }) => id !== record.id));
  useMoralisSubscription(className, build, [className, userId, ...deps], {
    onCreate: prepend,
    onEnter: (record) => applyChange((all) => [...all.filter(({ id }) => id !== record.id), record]),
    onUpdate: (record) => applyChange((all) => all.map((each) => (each.id === record.id ? record : each))),
    onLeave: remove,
    onDelete: remove,
    onRefetch: result.refetch,
    onOpen() {
      setConnection("live");
      // Changes before the subscription opened, or while it was lost, are not delivered, nor are they part of requests
      // that started earlier.
      void queryClient.cancelQueries(filter).then(result.refetch);
    },
    onClose: () => setConnection((before) => (before === "refused" ? before : "reconnecting")),
    onError: () => setConnection("refused"),
  });
  return {
    ...result,
    data: records,
    hasMore: isFull,
    showMore: () => setLimit(limit * 2),
    live: useLiveState(connection),
  };
}

/** Combines the state of a connection with that of the network and the server. */
function useLiveState(connection: Exclude<LiveState, "offline">): LiveState {
  const isOnline = useSyncExternalStore(subscribeToNetwork, () => navigator.onLine);
  const isReachable = useSyncExternalStore(reachability.subscribe, reachability.get);
  if (!isOnline) return "offline";
  return connection === "live" && !isReachable ? "reconnecting" : connection;
}

function subscribeToNetwork(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}
