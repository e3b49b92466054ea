/** What happens to a connection of live queries, for whoever observes them. */
export interface LiveConnectionFacts {
  event: "ws_connect" | "connect" | "subscribe" | "unsubscribe" | "ws_disconnect" | "ws_disconnect_error";
  clientId: string;
  useMasterKey: boolean;
  installationId: string | undefined;
  sessionToken: string | undefined;
  /** Open connections and subscriptions of this process. */
  clients: number;
  subscriptions: number;
  /** Why the socket failed. */
  error?: string;
}
