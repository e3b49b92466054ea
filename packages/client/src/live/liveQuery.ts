import { type Connection, connection, currentConnection, onConnection } from "../connection.ts";
import { Emitter } from "../emitter.ts";
import { installationId, loadStoredUser } from "../identity.ts";
import type { AnyObject } from "../object/AnyObject.ts";
import { LiveQueryClient, type LiveQueryClientEvents, type LiveQueryState } from "./LiveQueryClient.ts";
import type { LiveQuestion, Subscription } from "./Subscription.ts";

/** The client of the connection in use; made when it is first needed. */
let active: { on: Connection; client: LiveQueryClient } | undefined;
let watching = false;

type Event = keyof LiveQueryClientEvents;
type Listener = (value?: unknown) => void;
const events = /* @__PURE__ */ new Emitter<Record<Event, [value?: unknown]>>();

/** Where live queries of a server are asked: its address with ws in the place of http. Throws when it has none. */
export function liveQueryUrl(on: Pick<Connection, "serverUrl" | "liveQueryUrl">): string {
  const url = on.liveQueryUrl ?? on.serverUrl.replace(/^http/, "ws");
  if (url.startsWith("ws")) return url;
  throw new Error("You need to set a proper Parse LiveQuery server url before using LiveQueryClient");
}

/** The client of the connection in use, opened. */
export async function liveQueryClient(): Promise<LiveQueryClient> {
  const on = connection();
  const serverURL = liveQueryUrl(on);
  const installation = await installationId(on);
  active ??= { on, client: openClient(on, serverURL, installation) };
  if (active.client.shouldOpen()) active.client.open();
  return active.client;
}

/** Asks as the current user unless a token is given. Rejects when the server refuses. */
export async function openSubscription<T extends AnyObject>(
  query: LiveQuestion,
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
  if (!watching) onConnection(closeForeign);
  watching = true;
  return client;
}

/** Another server, application or key ends the live queries of the one before; other settings do not. */
function closeForeign(): void {
  const on = currentConnection();
  if (!active || !on) return;
  const decisive = ["applicationId", "serverUrl", "liveQueryUrl", "javascriptKey", "masterKey"] as const;
  if (decisive.some((name) => on[name] !== active?.on[name])) closeActive();
}

function closeActive(): void {
  const closing = active;
  active = undefined;
  closing?.client.close();
}

/** The live queries of the connection in use. */
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

  /** Returns the way to stop listening. "state" listeners get the new state, "error" ones the error. */
  on: (event: Event, listener: Listener): (() => void) => events.on(event, listener),
  once: (event: Event, listener: Listener): (() => void) => events.once(event, listener),
  off: (event: Event, listener: Listener): void => events.off(event, listener),
  /** Of one event, or all. */
  removeAllListeners: (event?: Event): void => events.removeAll(event),
};
