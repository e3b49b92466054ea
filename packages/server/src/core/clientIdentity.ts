import { AsyncLocalStorage } from "node:async_hooks";
import { MAX_INSTALLATION_ID_LENGTH } from "@purse/protocol";
import type { RequestContext } from "./authContext.ts";
import { storableText } from "./storableText.ts";

type Client = Pick<RequestContext, "auth" | "installationId" | "ip" | "isInternal">;

const storage = new AsyncLocalStorage<Client | undefined>();

/** Runs work for the client that sent a request, which `currentClient` returns in everything that is called. */
export function runForClient<T>(request: RequestContext, work: () => T): T {
  const { auth, installationId, ip, isInternal } = request;
  if (isInternal && auth.kind !== "user" && installationId === undefined) return work();
  // Without the request itself, whose content would be kept for as long as anything that the work has started.
  return storage.run({ auth, installationId, ip, isInternal }, work);
}

/** Runs work of the server itself, which continues after the request of a client that has started it. */
export function runForServer<T>(work: () => T): T {
  return storage.run(undefined, work);
}

/** What identifies the client of the current request; undefined for work of the server itself. */
export function currentClient(): readonly string[] | undefined {
  const client = storage.getStore();
  return client && identityOf(client);
}

/**
 * The user and the installation of a client, otherwise its address. A request of the server has none of them. Clients
 * choose the ID of their installation, but the database must be able to store it.
 */
function identityOf({ auth, installationId, ip, isInternal }: Client): string[] {
  const keys: string[] = [];
  if (auth.kind === "user") keys.push(`user:${auth.userId}`);
  if (installationId !== undefined)
    keys.push(`installation:${storableText(installationId, MAX_INSTALLATION_ID_LENGTH)}`);
  if (keys.length === 0 && !isInternal) keys.push(`address:${ip}`);
  return keys;
}
