import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { assertWithinJsonLimits, isJsonObject, type JsonObject } from "@purse/protocol";
import { type ExecutionArgs, executeSubscriptionEvent, GraphQLError } from "graphql";
import { handleProtocols, makeServer, type SubscribePayload } from "graphql-ws";
import { type WebSocket, WebSocketServer } from "ws";
import type { RequestContext } from "../../core/authContext.ts";
import { addressKey } from "../../core/http/address.ts";
import { isTurnUsedUp, ownTurn } from "../../core/limits/timeSlicer.ts";
import { CLOSE_ABNORMAL, type LiveQueryServer, MESSAGE_JSON_LIMITS } from "../../realtime/index.ts";
import { limitEvent } from "./answerSize.ts";
import type { GraphqlContext, Operations } from "./context.ts";
import { clientErrors, toClientError } from "./errors.ts";
import { EventBudget } from "./eventBudget.ts";
import type { ListBudget } from "./listBudget.ts";
import { LiveEvents } from "./liveEvents.ts";
import type { PrepareOperation } from "./prepareOperation.ts";
import { SharedSubscriptions } from "./sharedSubscriptions.ts";

export interface GraphqlSocketsDependencies {
  appId: string;
  live: Pick<LiveQueryServer, "open" | "guard" | "rejectionOf" | "maxMessageBytes">;
  /** Authenticates a connection by the parameters that it sent instead of headers. Throws 119, 155 or 209. */
  authenticateSocket(message: IncomingMessage, headers: Record<string, string>): Promise<RequestContext>;
  operationsOf(requestContext: RequestContext): Operations;
  clientAddressOf(message: IncomingMessage): string;
  report(error: unknown, requestId: string): void;
}

export interface GraphqlSockets {
  upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** What is known of a connection. */
interface Connection {
  message: IncomingMessage;
  ip: string;
  events: LiveEvents;
  close(code: number, reason: string): void;
  /** Once it is connected. */
  subscriptions: SharedSubscriptions | undefined;
  context: GraphqlContext | undefined;
}

/** The context of a subscription. */
interface SubscriptionContext extends GraphqlContext {
  /** Returns what the lists of one event may cost. */
  openLists(): ListBudget | undefined;
  /** The same for identical subscriptions of a connection. */
  key: string;
  subscriptions: SharedSubscriptions;
}

/** Sooner than live queries close a socket that does not connect. */
const INIT_TIMEOUT_MS = 5_000;
/** Longer reasons do not fit into a close frame. */
const MAX_REASON_LENGTH = 100;

/**
 * Creates the WebSockets of subscriptions, with the protocol of graphql-ws (`graphql-transport-ws`). The credentials are
 * in the parameters of the connection, with the names of the headers. The limits are those of live queries.
 */
export function createGraphqlSockets(
  dependencies: GraphqlSocketsDependencies,
  prepare: PrepareOperation,
): GraphqlSockets {
  const { live, report } = dependencies;
  const budget = new EventBudget(() => performance.now());
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: live.maxMessageBytes,
    handleProtocols,
  });
  const reportUnexpected = (error: unknown) => report(error, "");

  const server = makeServer<JsonObject, Connection>({
    connectionInitWaitTimeout: INIT_TIMEOUT_MS,
    async onConnect({ connectionParams, extra }) {
      try {
        await connect(extra, connectionParams ?? {});
        return true;
      } catch (error) {
        const { message } = toClientError(error, reportUnexpected);
        extra.close(CLOSE_FORBIDDEN, message.slice(0, MAX_REASON_LENGTH));
        return false;
      }
    },
    async onSubscribe({ extra }, _id, payload) {
      try {
        return await prepareSubscription(payload, extra);
      } catch (error) {
        return [toClientError(error, reportUnexpected)];
      }
    },
    subscribe(args: ExecutionArgs & { contextValue?: unknown }) {
      const { contextValue } = args;
      if (!isSubscriptionContext(contextValue)) return { errors: [notConnected()] };
      return contextValue.subscriptions.subscribe(contextValue.key, args);
    },
    onError: (_context, _id, _payload, errors) =>
      clientErrors(errors, reportUnexpected).map((error) => error.toJSON()),
    // What has no data has failed before its first event.
    onNext: (_context, _id, _payload, _args, result) =>
      result.errors && {
        ...result,
        errors: clientErrors(result.errors, reportUnexpected).map((error) => error.toJSON()),
      },
  });

  async function connect(connection: Connection, parameters: JsonObject): Promise<void> {
    const { message, events, ip } = connection;
    const headers = headersOf(parameters);
    const requestContext = await dependencies.authenticateSocket(message, headers);
    events.connect(credentialsOf(dependencies.appId, headers));
    const operations = dependencies.operationsOf(requestContext);
    const context: GraphqlContext = {
      requestContext,
      operations,
      subscribe: (className, where) => events.subscribe(className, where),
    };
    connection.context = context;
    const spender = budget.open(addressKey(ip));
    connection.subscriptions = new SharedSubscriptions((args) =>
      budget.resolve(spender, operations, async (counted) => {
        const lists = isSubscriptionContext(args.contextValue) ? args.contextValue.openLists() : undefined;
        const contextValue: GraphqlContext = { ...context, operations: counted, lists };
        return limitEvent(await executeSubscriptionEvent({ ...args, contextValue }));
      }),
    );
  }

  /** Returns what graphql-js executes, or why it does not. */
  async function prepareSubscription(
    { query, variables, operationName }: SubscribePayload,
    { context, subscriptions }: Connection,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    if (!context || !subscriptions) return [notConnected()];
    const request = {
      query,
      ...(isJsonObject(variables) && { variables }),
      ...(typeof operationName === "string" && operationName !== "" && { operationName }),
    };
    const prepared = await prepare(request, context.requestContext);
    if (!("args" in prepared)) return prepared;
    const { args, operation, openLists } = prepared;
    if (operation.operation !== "subscription")
      return [new GraphQLError("WebSockets are for subscriptions: send other operations over HTTP.")];
    const key = JSON.stringify(request);
    const contextValue: SubscriptionContext = { ...context, subscriptions, key, openLists };
    return { ...args, contextValue };
  }

  function open(socket: WebSocket, message: IncomingMessage, connection: Duplex): void {
    const ip = dependencies.clientAddressOf(message);
    const guard = live.guard(socket, ip, connection);
    const address = addressKey(ip);
    const events = new LiveEvents({
      live,
      ip,
      bufferedBytes: () => socket.bufferedAmount,
      onPing: () => socket.ping(),
      onClose(code, reason) {
        if (code === CLOSE_ABNORMAL) socket.terminate();
        else socket.close(code, reason);
      },
    });
    let received: Promise<void> = Promise.resolve();
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send: (text) => guard.send(text),
        close: (code, reason) => socket.close(code, reason),
        onMessage(handle) {
          socket.on("message", (data) => {
            if (socket.readyState !== socket.OPEN) return;
            const text = String(data);
            if (!guard.admit(text.length)) return;
            // In the order of their arrival, but a subscription lasts longer than its message.
            received = received.then(async () => {
              if (socket.readyState === socket.OPEN) await guard.turn(text.length);
              if (socket.readyState !== socket.OPEN) return;
              try {
                assertWithinJsonLimits(text, MESSAGE_JSON_LIMITS);
              } catch {
                socket.close(CLOSE_BAD_REQUEST, "Invalid message received");
                return;
              }
              if (isTurnUsedUp()) await ownTurn(address);
              handle(text).catch((error: unknown) => {
                report(error, "");
                socket.close(CLOSE_INTERNAL_ERROR, "Internal server error");
              });
            });
          });
        },
      },
      {
        message,
        ip,
        events,
        close: (code, reason) => socket.close(code, reason),
        subscriptions: undefined,
        context: undefined,
      },
    );
    socket.on("pong", () => events.pong());
    // It is closed after an error.
    socket.on("error", () => socket.terminate());
    socket.once("close", (code, reason) => {
      events.close();
      closed(code, String(reason)).catch(reportUnexpected);
    });
  }

  return {
    upgrade(message, socket, head) {
      const status = live.rejectionOf(dependencies.clientAddressOf(message));
      if (status !== undefined) {
        socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
        return;
      }
      sockets.handleUpgrade(message, socket, head, (webSocket) => open(webSocket, message, socket));
    },
  };
}

function isSubscriptionContext(value: unknown): value is SubscriptionContext {
  return typeof value === "object" && value !== null && "key" in value && "subscriptions" in value;
}

function notConnected(): GraphQLError {
  return new GraphQLError("Not connected");
}

const CLOSE_BAD_REQUEST = 4400;
const CLOSE_FORBIDDEN = 4403;
const CLOSE_INTERNAL_ERROR = 4500;

/** The parameters of a connection are the headers of other requests. */
function headersOf(parameters: JsonObject): Record<string, string> {
  const nested = isJsonObject(parameters.headers) ? parameters.headers : {};
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...nested, ...parameters }))
    if (/^x-parse-/i.test(name) && typeof value === "string") headers[name.toLowerCase()] = value;
  return headers;
}

function credentialsOf(appId: string, headers: Record<string, string>): JsonObject {
  const masterKey = headers["x-parse-master-key"];
  const sessionToken = headers["x-parse-session-token"];
  const installationId = headers["x-parse-installation-id"];
  return {
    applicationId: appId,
    ...(masterKey !== undefined && { masterKey }),
    ...(sessionToken !== undefined && { sessionToken }),
    ...(installationId !== undefined && { installationId }),
  };
}
