import { type Connection, connection, onConnection } from "../connection.ts";
import { installationId, loadStoredUser } from "../identity.ts";
import { LiveQueryClient, type LiveQueryClientEvents } from "./LiveQueryClient.ts";

/** The client of the connection in use; made when it is first needed. */
let active: { on: Connection; token: string | undefined; client: LiveQueryClient } | undefined;
let watching = false;

type Listener = (error?: unknown) => void;
const listeners: Record<keyof LiveQueryClientEvents, Set<Listener>> = {
  open: new Set(),
  close: new Set(),
  error: new Set(),
};

/** Where live queries of a server are asked: its address with ws in the place of http. Throws when it has none. */
export function liveQueryUrl(on: Pick<Connection, "serverUrl" | "liveQueryUrl">): string {
  const url = on.liveQueryUrl ?? on.serverUrl.replace(/^http/, "ws");
  if (url.startsWith("ws")) return url;
  throw new Error("You need to set a proper Parse LiveQuery server url before using LiveQueryClient");
}

export async function liveQueryClient(): Promise<LiveQueryClient> {
  const on = connection();
  const serverURL = liveQueryUrl(on);
  const installation = await installationId(on);
  const sessionToken = (await loadStoredUser(on))?.sessionToken;
  const token = typeof sessionToken === "string" ? sessionToken : undefined;
  if (active?.on === on && active.token === token) {
    active.client.open();
    return active.client;
  }
  // Subscriptions made as somebody else stay with their own connection until they are closed.
  if (active && active.on !== on) active.client.close();
  const { applicationId, javascriptKey, masterKey } = on;
  const client = new LiveQueryClient({
    applicationId,
    serverURL,
    javascriptKey,
    masterKey,
    sessionToken: token,
    installationId: installation,
    clock: on.clock,
  });
  client.on("open", () => tell("open"));
  client.on("close", () => tell("close"));
  client.on("error", (error) => tell("error", error));
  active = { on, token, client };
  if (!watching) onConnection(closeForgotten);
  watching = true;
  client.open();
  return client;
}

/** A new connection ends the live queries of the one before. */
function closeForgotten(): void {
  active?.client.close();
  active = undefined;
}

function tell(event: keyof LiveQueryClientEvents, error?: unknown): void {
  for (const listener of [...listeners[event]]) listener(error);
}

/** The live queries of the connection in use. */
export const LiveQuery = {
  async open(): Promise<void> {
    (await liveQueryClient()).open();
  },

  async close(): Promise<void> {
    closeForgotten();
  },

  /** Returns the way to stop listening. */
  on(event: keyof LiveQueryClientEvents, listener: Listener): () => void {
    listeners[event].add(listener);
    return () => void listeners[event].delete(listener);
  },
};
