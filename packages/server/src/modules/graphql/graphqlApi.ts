import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { JsonObject } from "@purse/protocol";
import type { AuthContext, RequestContext } from "../../core/authContext.ts";
import type { ApiReply, Method } from "../../core/http/apiRoute.ts";
import { withBody } from "../../core/http/body.ts";
import type { BodyMemory } from "../../core/http/bodyMemory.ts";
import { CLIENT_BODY_LIMITS, parseInSteps } from "../../core/http/bodyParser.ts";
import { isMultipart } from "../../core/http/multipart.ts";
import type { Operations } from "./context.ts";
import { parseForm } from "./formParts.ts";
import type { GraphqlServer, GraphqlServerDependencies } from "./graphqlServer.ts";
import type { GraphqlSockets, GraphqlSocketsDependencies } from "./graphqlSockets.ts";

export interface GraphqlApiDependencies extends GraphqlServerDependencies, GraphqlSocketsDependencies {
  /** Authenticates a request by its headers alone. Throws 119, 155 or 209. */
  authenticate(message: IncomingMessage): Promise<RequestContext>;
  /** Throws 130 if a client may not upload any files. */
  assertCanUpload(auth: AuthContext): Promise<void>;
  memory: BodyMemory;
}

/** Executes GraphQL requests over HTTP. Rejects with the error to be sent if the sender is not known. */
export interface GraphqlApi {
  handle(message: IncomingMessage, search: string): Promise<ApiReply>;
  /**
   * Executes an operation for a sender who has been authenticated. `assertAllowed` throws for operations of the Parse
   * API that it must not execute.
   */
  execute(request: RequestContext, fields: JsonObject, assertAllowed: AssertAllowed): Promise<ApiReply>;
  /** Handles the upgrade to a WebSocket. */
  upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Creates the GraphQL API. Its libraries are loaded with the first request. */
export function createGraphqlApi(dependencies: GraphqlApiDependencies): GraphqlApi {
  let loading: Promise<GraphqlServer> | undefined;
  let loadingSockets: Promise<GraphqlSockets> | undefined;

  function load(): Promise<GraphqlServer> {
    loading ??= import("./graphqlServer.ts").then((module) => module.createGraphqlServer(dependencies));
    return loading;
  }

  async function loadSockets(): Promise<GraphqlSockets> {
    const { prepare } = await load();
    const { createGraphqlSockets } = await import("./graphqlSockets.ts");
    return createGraphqlSockets(dependencies, prepare);
  }

  function upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): void {
    loadingSockets ??= loadSockets();
    loadingSockets.then(
      (sockets) => sockets.upgrade(message, socket, head),
      (error: unknown) => {
        dependencies.report(error, "");
        socket.destroy();
      },
    );
  }

  async function handle(message: IncomingMessage, search: string): Promise<ApiReply> {
    // Pages of other origins cannot send its header without a preflight, regardless of the content type.
    const requestContext = await dependencies.authenticate(message);
    const context = { requestContext, operations: dependencies.operationsOf(requestContext) };
    const server = await load();
    if (message.method === "GET") return server.executeSearch(search, context);
    const execute = (fields: JsonObject) => server.executeBody(fields, context);
    const { auth } = requestContext;
    const contentType = message.headers["content-type"] ?? "";
    const { maxBodyBytes, maxAnonymousBodyBytes, maxUploadBytes } = dependencies.limits;
    const maxBytes = auth.kind === "anonymous" ? maxAnonymousBodyBytes : maxBodyBytes;
    const limits = CLIENT_BODY_LIMITS[auth.kind];
    if (isMultipart(contentType)) {
      await dependencies.assertCanUpload(auth);
      const parse = (body: Buffer) => parseForm(body, contentType, limits);
      return withBody(message, maxBytes + maxUploadBytes, dependencies.memory, parse, execute);
    }
    if (!/^application\/(?:graphql\+)?json\b/i.test(contentType)) {
      return {
        status: 415,
        body: JSON.stringify({ errors: [{ message: "The content type must be application/json." }] }),
      };
    }
    return withBody(message, maxBytes, dependencies.memory, (body) => parseInSteps(body, limits), execute);
  }

  const execute: GraphqlApi["execute"] = async (requestContext, fields, assertAllowed) => {
    const operations = restrict(dependencies.operationsOf(requestContext), assertAllowed);
    const server = await load();
    return server.executeBody(fields, { requestContext, operations });
  };

  return { handle, execute, upgrade };
}

/** Throws ProtocolError if an operation of the Parse API is not allowed. */
type AssertAllowed = (method: Method, path: string, params?: JsonObject) => void;

/** Returns operations that are checked before they are executed. */
function restrict(operations: Operations, assertAllowed: AssertAllowed): Operations {
  return {
    ...operations,
    async execute(request, method, path, params) {
      assertAllowed(method, path, params);
      return operations.execute(request, method, path, params);
    },
    async setPassword(...args) {
      assertAllowed("POST", "/request_password_reset");
      return operations.setPassword(...args);
    },
    async saveFile(...args) {
      assertAllowed("POST", "/files");
      return operations.saveFile(...args);
    },
  };
}
