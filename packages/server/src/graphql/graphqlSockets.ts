import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import {
  GraphQLError,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  validate,
} from "graphql";
import type { SubscribePayload } from "graphql-ws";
import { useServer } from "graphql-ws/use/ws";
import { type WebSocket, WebSocketServer } from "ws";
import { bypassesPermissions, type RequestContext } from "../core/authContext.ts";
import { CLOSE_ABNORMAL, type LiveQueryServer } from "../realtime/index.ts";
import { limitEvent } from "./answerSize.ts";
import type { GraphqlContext, Operations } from "./context.ts";
import { toClientError, withoutSuggestions } from "./errors.ts";
import { LiveEvents } from "./liveEvents.ts";
import { checkCost, checkStructure, type QueryLimits } from "./queryLimits.ts";
import { parseDocument } from "./requestGuard.ts";
import type { SchemaCache } from "./schemaCache.ts";

export interface GraphqlSocketsDependencies {
  appId: string;
  live: Pick<LiveQueryServer, "open" | "rejectionOf">;
  /** Authenticates a connection by the parameters that it sent instead of headers. Throws 119, 155 or 209. */
  authenticateSocket(message: IncomingMessage, headers: Record<string, string>): Promise<RequestContext>;
  operationsOf(requestContext: RequestContext): Operations;
  clientAddressOf(message: IncomingMessage): string;
  isIntrospectionPublic: boolean;
  limits: QueryLimits;
  report(error: unknown, requestId: string): void;
}

export interface GraphqlSockets {
  upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** What is known of a connection. */
interface Connection extends Record<PropertyKey, unknown> {
  context: GraphqlContext;
  events: LiveEvents;
}

const MAX_MESSAGE_BYTES = 256 * 1024;
const KEEP_ALIVE_MS = 30_000;
const INIT_TIMEOUT_MS = 10_000;
/** Longer reasons do not fit into a close frame. */
const MAX_REASON_LENGTH = 100;

/**
 * Creates the WebSockets of subscriptions, with the protocol of graphql-ws (`graphql-transport-ws`). The credentials are
 * in the parameters of the connection, with the names of the headers.
 */
export function createGraphqlSockets(
  dependencies: GraphqlSocketsDependencies,
  schemaCache: SchemaCache,
): GraphqlSockets {
  const { live, limits, report } = dependencies;
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (protocols) => (protocols.has(PROTOCOL) ? PROTOCOL : false),
  });
  const clientError = (error: unknown) => toClientError(error, (unexpected) => report(unexpected, ""));

  useServer<JsonObject, Connection>(
    {
      connectionInitWaitTimeout: INIT_TIMEOUT_MS,
      async onConnect({ connectionParams, extra }) {
        try {
          Object.assign(extra, await connect(extra.request, extra.socket, connectionParams ?? {}));
          return true;
        } catch (error) {
          extra.socket.close(CLOSE_FORBIDDEN, clientError(error).message.slice(0, MAX_REASON_LENGTH));
          return false;
        }
      },
      async onSubscribe({ extra }, _id, payload) {
        if (!extra.context) return [new GraphQLError("Not connected")];
        try {
          return await prepare(payload, extra.context);
        } catch (error) {
          return [clientError(error)];
        }
      },
      onError: (_context, _id, _payload, errors) => errors.map((error) => clientError(error).toJSON()),
      onNext: (_context, _id, _payload, _args, result) => {
        const limited = limitEvent(result);
        return limited.errors
          ? { ...limited, errors: limited.errors.map((error) => clientError(error).toJSON()) }
          : undefined;
      },
      onClose: ({ extra }) => extra.events?.close(),
    },
    sockets,
    KEEP_ALIVE_MS,
  );

  async function connect(
    message: IncomingMessage,
    socket: WebSocket,
    parameters: JsonObject,
  ): Promise<Connection> {
    const headers = headersOf(parameters);
    const requestContext = await dependencies.authenticateSocket(message, headers);
    const events = new LiveEvents({
      live,
      ip: requestContext.ip,
      credentials: credentialsOf(dependencies.appId, headers),
      bufferedBytes: () => socket.bufferedAmount,
      onClose: (code, reason) => (code === CLOSE_ABNORMAL ? socket.terminate() : socket.close(code, reason)),
    });
    const context: GraphqlContext = {
      requestContext,
      operations: dependencies.operationsOf(requestContext),
      largeAnswer: {},
      subscribe: (className, where) => events.subscribe(className, where),
    };
    return { context, events };
  }

  /** Returns what graphql-js executes, or why it does not. */
  async function prepare({ query, variables, operationName }: SubscribePayload, context: GraphqlContext) {
    const schema = await schemaCache.get();
    const isLimited = !bypassesPermissions(context.requestContext.auth);
    const document = parseDocument(query, isLimited);
    if (getOperationAST(document, operationName)?.operation !== "subscription")
      return [new GraphQLError("WebSockets are for subscriptions: send other operations over HTTP.")];
    const tooLarge = isLimited && checkStructure(document, limits);
    if (tooLarge) return [tooLarge];
    const rules = [...specifiedRules];
    if (isLimited && !dependencies.isIntrospectionPublic) rules.push(NoSchemaIntrospectionCustomRule);
    const errors = validate(schema, document, rules);
    if (errors.length > 0)
      return isLimited && !dependencies.isIntrospectionPublic ? errors.map(withoutSuggestions) : errors;
    const tooExpensive = isLimited && checkCost(schema, document, operationName, variables ?? {}, limits);
    if (tooExpensive) return [tooExpensive];
    return {
      schema,
      document,
      operationName: operationName ?? undefined,
      variableValues: variables ?? undefined,
      contextValue: context,
    };
  }

  return {
    upgrade(message, socket, head) {
      const status = live.rejectionOf(dependencies.clientAddressOf(message));
      if (status !== undefined) {
        socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
        return;
      }
      sockets.handleUpgrade(message, socket, head, (webSocket) =>
        sockets.emit("connection", webSocket, message),
      );
    },
  };
}

const PROTOCOL = "graphql-transport-ws";
const CLOSE_FORBIDDEN = 4403;

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
