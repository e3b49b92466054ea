import { AsyncLocalStorage } from "node:async_hooks";
import { MAX_INSTALLATION_ID_LENGTH } from "@purse/protocol";
import type { RequestContext } from "./authContext.ts";
import { storableText } from "./storableText.ts";

const storage = new AsyncLocalStorage<readonly string[] | undefined>();

/** Runs work for the client that sent a request, which `currentClient` returns in everything that is called. */
export function runForClient<T>(request: RequestContext, work: () => T): T {
  const keys = identityOf(request);
  return keys.length === 0 ? work() : storage.run(keys, work);
}

/** Runs work of the server itself, which continues after the request of a client that has started it. */
export function runForServer<T>(work: () => T): T {
  return storage.run(undefined, work);
}

/** What identifies the client of the current request; undefined for work of the server itself. */
export function currentClient(): readonly string[] | undefined {
  return storage.getStore();
}

/**
 * The user and the installation of a client, otherwise its address. A request of the server has none of them. Clients
 * choose the ID of their installation, but the database must be able to store it.
 */
function identityOf({ auth, installationId, ip, isInternal }: RequestContext): string[] {
  const keys: string[] = [];
  if (auth.kind === "user") keys.push(`user:${auth.userId}`);
  if (installationId !== undefined)
    keys.push(`installation:${storableText(installationId, MAX_INSTALLATION_ID_LENGTH)}`);
  if (keys.length === 0 && !isInternal) keys.push(`address:${ip}`);
  return keys;
}
