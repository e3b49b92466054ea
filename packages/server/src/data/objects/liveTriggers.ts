import type { JsonObject } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";

/** A connection event of live queries, as passed to `onLiveQueryEvent`. */
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

/** A live query event: a change of an object for its subscribers. */
export interface LiveEvent {
  event: string;
  className: string;
  object: JsonObject;
  original: JsonObject | undefined;
  clients: number;
  subscriptions: number;
}

/** The live query triggers of cloud code. Each rejects to refuse, and does nothing if none is defined. */
export interface LiveTriggers {
  hasHandler(
    trigger: "beforeConnect" | "beforeSubscribe" | "afterLiveQueryEvent",
    className?: string,
  ): boolean;
  connect(
    request: RequestContext,
    connection: {
      clientId: string;
      useMasterKey: boolean;
      clients: number;
      subscriptions: number;
      sessionToken?: string;
    },
  ): Promise<void>;
  /** Returns the query to subscribe to. */
  subscribe(
    request: RequestContext,
    className: string,
    params: JsonObject,
    requestId: number | string,
  ): Promise<JsonObject>;
  /** Returns the event's `object` and `original` to send; null to send nothing. */
  event(request: RequestContext, event: LiveEvent): Promise<JsonObject | null | undefined>;
  /**
   * Calls the `onLiveQueryEvent` handlers with a connection event. They are not awaited, and their errors are only
   * logged.
   */
  onConnectionEvent(
    createEvent: () => LiveConnectionEvent,
    from: Pick<RequestContext, "ip" | "requestId">,
  ): void;
}
