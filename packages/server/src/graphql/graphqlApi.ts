import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../core/authContext.ts";
import type { ApiReply, Method } from "../core/http/apiRoute.ts";
import { withBody } from "../core/http/body.ts";
import type { BodyMemory } from "../core/http/bodyMemory.ts";
import { CLIENT_BODY_LIMITS, parseJsonBody } from "../core/http/bodyParser.ts";
import type { Operations } from "./context.ts";
import { formContentType, isForm, MAX_PARTS } from "./formParts.ts";
import type { GraphqlHttpRequest, GraphqlServer, GraphqlServerDependencies } from "./graphqlServer.ts";
import type { GraphqlSockets, GraphqlSocketsDependencies } from "./graphqlSockets.ts";

export interface GraphqlApiDependencies extends GraphqlServerDependencies, GraphqlSocketsDependencies {
  /** Authenticates a request by its headers alone. Throws 119, 155 or 209. */
  authenticate(message: IncomingMessage): Promise<RequestContext>;
  /** Maximum size of a body in bytes: with a session or a key, without, and of all files of a multipart request. */
  maxBodyBytes: number;
  maxAnonymousBodyBytes: number;
  maxUploadBytes: number;
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
    const { schemaCache } = await load();
    const { createGraphqlSockets } = await import("./graphqlSockets.ts");
    return createGraphqlSockets(dependencies, schemaCache);
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
    const context = {
      requestContext,
      operations: dependencies.operationsOf(requestContext),
      largeAnswer: {},
    };
    const server = await load();
    if (message.method === "GET")
      return server.execute({ method: "GET", search, contentType: undefined, body: undefined, context });
    const execute = (content: Pick<GraphqlHttpRequest, "contentType" | "body">) =>
      server.execute({ method: "POST", search: "", ...content, context });
    const contentType = message.headers["content-type"] ?? "";
    const isAnonymous = requestContext.auth.kind === "anonymous";
    const maxBytes = isAnonymous ? dependencies.maxAnonymousBodyBytes : dependencies.maxBodyBytes;
    if (isForm(contentType)) {
      const withFiles = maxBytes + dependencies.maxUploadBytes;
      const parseForm = (body: Buffer) => {
        const formType = formContentType(body, contentType);
        if (formType === undefined)
          throw new ProtocolError(ErrorCode.INVALID_JSON, `a form takes ${MAX_PARTS} parts at most`, 400);
        return { contentType: formType, body: bytesOf(body) };
      };
      return withBody(message, withFiles, dependencies.memory, parseForm, execute);
    }
    if (!/^application\/(?:graphql\+)?json\b/i.test(contentType)) {
      return {
        status: 415,
        body: JSON.stringify({ errors: [{ message: "The content type must be application/json." }] }),
      };
    }
    const limits = CLIENT_BODY_LIMITS[requestContext.auth.kind];
    return withBody(
      message,
      maxBytes,
      dependencies.memory,
      (body) => ({ contentType: "application/json", body: jsonBytes(parseJsonBody(body, limits)) }),
      execute,
    );
  }

  const execute: GraphqlApi["execute"] = async (requestContext, fields, assertAllowed) => {
    const operations = restrict(dependencies.operationsOf(requestContext), assertAllowed);
    const server = await load();
    const content = { contentType: "application/json", body: jsonBytes(fields) };
    return server.execute({
      method: "POST",
      search: "",
      ...content,
      context: { requestContext, operations, largeAnswer: {} },
    });
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

/** What has been parsed within the limits of JSON is passed on as text. */
function jsonBytes(fields: JsonObject): Uint8Array<ArrayBuffer> {
  if (typeof fields.query !== "string" && fields.extensions === undefined)
    throw new ProtocolError(ErrorCode.INVALID_JSON, "query must be a string", 400);
  return bytesOf(Buffer.from(JSON.stringify(fields)));
}

function bytesOf(body: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(body);
}
