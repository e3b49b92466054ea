import { type Connection, connection, onConnection } from "../connection.ts";
import { installationId } from "../identity.ts";
import { LiveQueryClient, type LiveQueryClientEvents } from "./LiveQueryClient.ts";

/** The client of the connection in use; made when it is first needed. */
let active: { on: Connection; client: LiveQueryClient } | undefined;
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
  if (active?.on !== on) active = { on, client: openClient(on, serverURL, installation) };
  active.client.open();
  return active.client;
}

function openClient(on: Connection, serverURL: string, installation: string): LiveQueryClient {
  const { applicationId, javascriptKey, masterKey, clock } = on;
  const options = { applicationId, serverURL, javascriptKey, masterKey, installationId: installation, clock };
  const client = new LiveQueryClient(options);
  client.on("open", () => tell("open"));
  client.on("close", () => tell("close"));
  client.on("error", (error) => tell("error", error));
  if (!watching) onConnection(closeForgotten);
  watching = true;
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
