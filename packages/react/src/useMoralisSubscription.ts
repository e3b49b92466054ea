import type { Attributes, ParseObject } from "@purse/client";
import { type DependencyList, useEffect } from "react";
import { type CallError, errorOf } from "./errors.ts";
import { openSubscription } from "./liveQueryUpdates.ts";
import type { ObjectOf, QueryMap } from "./objectTypes.ts";
import { useLatest } from "./useLatest.ts";
import { useMoralisContext, useUserId } from "./useMoralis.ts";
import { useQuery } from "./useQuery.ts";

/** Handlers of live query events. */
export interface SubscriptionOptions<T extends ParseObject<object> = ParseObject> {
  enabled?: boolean;
  onCreate?: (entity: T, meta?: unknown) => void;
  onUpdate?: (entity: T, original?: unknown, meta?: unknown) => void;
  onEnter?: (entity: T, original?: unknown, meta?: unknown) => void;
  onLeave?: (entity: T, original?: unknown, meta?: unknown) => void;
  onDelete?: (entity: T, meta?: unknown) => void;
  /** Also called if the server refuses the subscription. */
  onError?: (error: CallError) => void;
  /** The server sends changes from now on; called again after each reconnection. */
  onOpen?: () => void;
  /** The connection is lost; it reconnects by itself. Not called when the component unmounts. */
  onClose?: () => void;
  /** Changes were missed while the connection was lost: fetch again. */
  onRefetch?: () => void;
}

/** Subscribes to the changes of a query's objects. */
export function useMoralisSubscription<E extends object = Attributes>(
  nameOrObject: string | ParseObject<object>,
  queryMap?: QueryMap<ObjectOf<E>>,
  deps?: DependencyList,
  options: SubscriptionOptions<ObjectOf<E>> = {},
): void {
  const { isInitialized } = useMoralisContext();
  const query = useQuery<ObjectOf<E>>(nameOrObject, queryMap, deps);
  const handlers = useLatest(options);
  const userId = useUserId();
  const isEnabled = isInitialized && (options.enabled ?? true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the events depend on the user.
  useEffect(() => {
    if (!isEnabled) return;
    let isClosed = false;
    const close = openSubscription(
      query,
      (subscription) => {
        subscription.on("open", () => handlers.current.onOpen?.());
        subscription.on("close", () => isClosed || handlers.current.onClose?.());
        subscription.on("refetch", () => handlers.current.onRefetch?.());
        subscription.on("create", (...event) => handlers.current.onCreate?.(...event));
        subscription.on("update", (...event) => handlers.current.onUpdate?.(...event));
        subscription.on("enter", (...event) => handlers.current.onEnter?.(...event));
        subscription.on("leave", (...event) => handlers.current.onLeave?.(...event));
        subscription.on("delete", (...event) => handlers.current.onDelete?.(...event));
        subscription.on("error", (error) => handlers.current.onError?.(errorOf(error)));
      },
      (error) => {
        if (handlers.current.onError) handlers.current.onError(errorOf(error));
        else console.warn("The live query was refused", error);
      },
    );
    return () => {
      isClosed = true;
      close();
    };
  }, [query, isEnabled, userId, handlers]);
}
