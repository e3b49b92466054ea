import type { Moralis, ParseObject } from "@purse/client";
import { useEffect, useState } from "react";
import { AsyncCall } from "./asyncCall.ts";
import { type Callbacks, splitCallbacks, withCallbacks } from "./callbacks.ts";
import { useStore } from "./observableStore.ts";
import type { AsyncCallOptions } from "./useAsyncCall.ts";
import { useMoralisContext, useUserId } from "./useMoralis.ts";

/** A session of the user. */
export interface OwnSession {
  id: string;
  /** Whether it is this client's session. */
  isCurrent: boolean;
  createdAt: Date | undefined;
  expiresAt: Date | undefined;
  createdWith: unknown;
  installationId: string | undefined;
  /** Browser and system of the sign-in, as the server describes them: `Firefox, Linux`. */
  userAgent: string | undefined;
  /** Rounded to 15 minutes. */
  lastUsedAt: Date | undefined;
  /** A custom field of the session. */
  get(field: string): unknown;
}

/** The signed-in user's sessions. */
class Sessions {
  readonly call = new AsyncCall<readonly OwnSession[]>([]);
  readonly #core: typeof Moralis;

  constructor(core: typeof Moralis) {
    this.#core = core;
  }

  readonly fetch = (options: Callbacks<readonly OwnSession[]> & { signal?: AbortSignal } = {}) => {
    const [callbacks, { signal }] = splitCallbacks(options);
    return this.call.run(() => this.#list(signal), callbacks, signal);
  };

  /** Revokes a session; use `logout` for the current one. */
  readonly revoke = (id: string, callbacks: Callbacks<void> = {}) => this.#end([id], callbacks);

  /** Revokes all sessions but the current one. */
  readonly revokeOthers = (callbacks: Callbacks<void> = {}) =>
    withCallbacks(async () => {
      const others = (await this.#list()).filter(({ isCurrent }) => !isCurrent);
      await this.#destroy(others.map(({ id }) => id));
    }, callbacks);

  clear(): void {
    this.call.setData([]);
  }

  #end(ids: readonly string[], callbacks: Callbacks<void>): Promise<void> {
    return withCallbacks(() => this.#destroy(ids), callbacks);
  }

  async #destroy(ids: readonly string[]): Promise<void> {
    const { Object: ParseObject } = this.#core;
    const sessions = ids.map((id) => ParseObject.fromJSON({ className: "_Session", objectId: id }));
    await ParseObject.destroyAll(sessions);
    await this.fetch({ throwOnError: true });
  }

  async #list(signal?: AbortSignal): Promise<readonly OwnSession[]> {
    const [found, current] = await Promise.all([
      new this.#core.Query("_Session").descending("createdAt").find(signal && { signal }),
      this.#core.Session.current(signal && { signal }),
    ]);
    return found.map((session) => toOwnSession(session, session.id === current.id));
  }
}

function toOwnSession(session: ParseObject, isCurrent: boolean): OwnSession {
  const date = (field: string) => {
    const value: unknown = session.get(field);
    return value instanceof Date ? value : undefined;
  };
  const text = (field: string) => {
    const value: unknown = session.get(field);
    return typeof value === "string" ? value : undefined;
  };
  return {
    id: session.id ?? "",
    isCurrent,
    createdAt: session.createdAt,
    expiresAt: date("expiresAt"),
    createdWith: session.get("createdWith"),
    installationId: text("installationId"),
    userAgent: text("userAgent"),
    lastUsedAt: date("lastUsedAt"),
    get: (field) => session.get(field),
  };
}

/** The user's sessions, newest first, and functions to revoke them. `autoFetch: false` waits for `fetch()`. */
export function useSessions({ autoFetch = true }: AsyncCallOptions = {}) {
  const { Moralis, isInitialized } = useMoralisContext();
  const userId = useUserId();
  const [sessions] = useState(() => new Sessions(Moralis));
  const { data, error, isFetching } = useStore(sessions.call.store);
  useEffect(() => {
    if (!autoFetch || !isInitialized || !userId) return;
    const controller = new AbortController();
    void sessions.fetch({ signal: controller.signal });
    return () => {
      controller.abort();
      sessions.clear();
    };
  }, [sessions, autoFetch, isInitialized, userId]);
  const { fetch, revoke, revokeOthers } = sessions;
  return { sessions: data, error, isFetching, fetch, revoke, revokeOthers };
}
