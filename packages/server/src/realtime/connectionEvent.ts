/** A connection event of live queries, for observers. */
export interface LiveConnectionEvent {
  event: "ws_connect" | "connect" | "subscribe" | "unsubscribe" | "ws_disconnect" | "ws_disconnect_error";
  clientId: string;
  useMasterKey: boolean;
  installationId: string | undefined;
  sessionToken: string | undefined;
  /** Number of open connections and subscriptions of this process. */
  clients: number;
  subscriptions: number;
  /** The error of the socket. */
  error?: string;
}
