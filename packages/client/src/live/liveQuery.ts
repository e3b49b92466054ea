import { type Connection, connection, currentConnection, onConnection } from "../connection.ts";
import { Emitter } from "../emitter.ts";
import { installationId } from "../installationId.ts";
import type { AnyObject } from "../object/AnyObject.ts";
import { loadStoredUser } from "../storedUser.ts";
import { LiveQueryClient, type LiveQueryClientEvents, type LiveQueryState } from "./LiveQueryClient.ts";
import type { SubscribableQuery, Subscription } from "./Subscription.ts";

/** The live query client of the active connection, created on first use. */
let active: { on: Connection; client: LiveQueryClient } | undefined;
let isListening = false;

type Event = keyof LiveQueryClientEvents;
type Listener = (value?: unknown) => void;
const events = /* @__PURE__ */ new Emitter<Record<Event, [value?: unknown]>>();

/** The live query URL of a server: its URL with ws instead of http unless configured. Throws if there is none. */
export function liveQueryUrl(on: Pick<Connection, "serverUrl" | "liveQueryUrl">): string {
  const url = on.liveQueryUrl ?? on.serverUrl.replace(/^http/, "ws");
  if (url.startsWith("ws")) return url;
  throw new Error("You need to set a proper Parse LiveQuery server url before using LiveQueryClient");
}

/** The live query client of the active connection, opened. */
export async function liveQueryClient(): Promise<LiveQueryClient> {
  const on = connection();
  const serverURL = liveQueryUrl(on);
  const installation = await installationId(on);
  active ??= { on, client: openClient(on, serverURL, installation) };
  if (active.client.shouldOpen()) active.client.open();
  return active.client;
}

/** Subscribes as the current user unless a token is passed. Rejects when the server refuses. */
export async function openSubscription<T extends AnyObject>(
  query: SubscribableQuery,
  sessionToken?: string,
): Promise<Subscription<T>> {
  const client = await liveQueryClient();
  const own = (await loadStoredUser())?.sessionToken;
  const token = sessionToken ?? (typeof own === "string" ? own : undefined);
  const subscription = client.subscribe<T>(query, token);
  await subscription.subscribePromise;
  return subscription;
}

function openClient(on: Connection, serverURL: string, installation: string): LiveQueryClient {
  const { applicationId, javascriptKey, masterKey, clock } = on;
  const options = { applicationId, serverURL, javascriptKey, masterKey, installationId: installation, clock };
  const client = new LiveQueryClient(options);
  for (const event of ["open", "close", "error", "state"] as const) {
    client.on(event, (value?: unknown) => events.emit(event, value));
  }
  if (!isListening) onConnection(closeOnServerChange);
  isListening = true;
  return client;
}

/** Closes the live queries when server, application or key change; other settings do not affect them. */
function closeOnServerChange(): void {
  const on = currentConnection();
  if (!active || !on) return;
  const identifyingSettings = [
    "applicationId",
    "serverUrl",
    "liveQueryUrl",
    "javascriptKey",
    "masterKey",
  ] as const;
  if (identifyingSettings.some((name) => on[name] !== active?.on[name])) closeActive();
}

function closeActive(): void {
  const closing = active;
  active = undefined;
  closing?.client.close();
}

/** The live queries of the active connection. */
export const LiveQuery = {
  async open(): Promise<void> {
    await liveQueryClient();
  },

  async close(): Promise<void> {
    closeActive();
  },

  get state(): LiveQueryState {
    return active?.client.state ?? "closed";
  },

  /** Returns a function that unsubscribes. "state" listeners get the new state, "error" listeners the error. */
  on: (event: Event, listener: Listener): (() => void) => events.on(event, listener),
  once: (event: Event, listener: Listener): (() => void) => events.once(event, listener),
  off: (event: Event, listener: Listener): void => events.off(event, listener),
  /** Removes the listeners of one event, or of all. */
  removeAllListeners: (event?: Event): void => events.removeAll(event),
};
