import type { IncomingMessage } from "node:http";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { AllowsRoute } from "../config/routeAllowList.ts";
import { type AuthContext, MASTER, type RequestContext } from "../core/authContext.ts";
import {
  type ApiReply,
  type ApiRequest,
  type Dispatch,
  type InternalRequest,
  isMethod,
  type Method,
} from "../core/http/apiRoute.ts";
import { hasBody } from "../core/http/body.ts";
import { assertApplicationHeader, type WithParsedBody } from "../core/http/bodyParser.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import type { ClientKeys } from "../core/http/clientKeys.ts";
import { type Envelope, parseEnvelope } from "../core/http/envelope.ts";
import type { ParseApiCalls } from "../core/http/parseApiCalls.ts";
import { addQueryParams } from "../core/http/parseForm.ts";
import { errorReply } from "../core/http/reply.ts";
import { noteSender } from "../core/http/requestFacts.ts";
import { newRequestId, requestIdOf } from "../core/http/requestId.ts";
import { Router } from "../core/http/router.ts";
import type { ServerUrlOf } from "../core/http/serverUrl.ts";
import { ValueReply } from "../core/http/valueReply.ts";
import { MAX_ANSWER_BYTES } from "../core/limits/answerSize.ts";
import { currentScope } from "../core/limits/requestScope.ts";
import { isTurnUsedUp, ownTurn } from "../core/limits/timeSlicer.ts";
import { currentTracer, trace } from "../core/tracing/tracing.ts";
import { UnauthorizedError } from "../core/unauthorizedError.ts";
import { createIdempotentWrite, type IdempotentRequest } from "../data/objects/idempotentWrite.ts";
import type { Objects } from "../data/objects/objects.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import type { Store } from "../database/store.ts";
import { assertRouteAllowed } from "./assertRouteAllowed.ts";
import { batchRoute } from "./batchRoute.ts";
import { chargedErrorReply } from "./chargedReplies.ts";
import { executeRoute } from "./executeRoute.ts";
import { readFunctionCall } from "./functionByGet.ts";
import { callsWithForm, type WithFunctionForm } from "./functionForms.ts";
import { createIdempotency, type IdempotencyOptions } from "./idempotency.ts";
import type { RequestLimits } from "./parseApiLimits.ts";
import type { ParseRoute } from "./parseRoute.ts";
import { prepareBatchRequests } from "./prepareBatchRequests.ts";
import type { LogRequest } from "./requestLog.ts";
import { type CredentialDependencies, createVerifyCredentials } from "./verifyCredentials.ts";

export interface ParseApiDependencies extends CredentialDependencies {
  appId: string;
  /** Whether the keys of a client app are right, or the server has none. */
  hasClientKey(keys: ClientKeys): boolean;
  /** `/server`. */
  mountPath: string;
  /** The URL of the mount path for clients that do not send a Host header. */
  serverUrl: string;
  /** Returns the URL by which a request arrived; without it, `serverUrl` is always used. */
  serverUrlOf?: ServerUrlOf;
  clientAddressOf: ClientAddressOf;
  withParsedBody: WithParsedBody;
  /** Without it, functions cannot be called with forms. */
  withFunctionForm?: WithFunctionForm;
  routes: ParseRoute[];
  /** Executes the creates that routes prepare. */
  createEach: Objects["createEach"];
  store: Store;
  /** Paths below the mount path on which a request with an id is executed once. */
  idempotency: Omit<IdempotencyOptions, "store">;
  /** Applied to every external request and to every request of a batch. */
  requestLimits: RequestLimits;
  /** The routes that clients without the master key may call; undefined for all. */
  allowsRoute?: AllowsRoute | undefined;
  /** Logs external requests; without it they are not logged. */
  logRequest?: LogRequest | undefined;
  /** Maximum size of a response, in bytes. */
  maxAnswerBytes?: number;
  /** Called with errors whose details clients do not see. */
  report(error: unknown, requestId: string): void;
}

export interface ParseApi extends ParseApiCalls {
  readonly routes: readonly ParseRoute[];
  /** Handles one HTTP request; `path` is below the mount path. Rejects with the error to be sent. */
  handle(message: IncomingMessage, path: string, search: string): Promise<ApiReply>;
  /** Executes a request from inside the process. */
  dispatch: Dispatch;
}

/** Creates the Parse API: every request takes the same steps from its envelope to its reply. */
export function createParseApi(dependencies: ParseApiDependencies): ParseApi {
  const {
    mountPath,
    store,
    createEach,
    requestLimits,
    allowsRoute,
    report,
    maxAnswerBytes = MAX_ANSWER_BYTES,
  } = dependencies;
  const routes: readonly ParseRoute[] = [
    ...dependencies.routes,
    batchRoute({
      mountPath,
      store,
      createEach,
      execute: executeBatchRequest,
      prepareFor: (request) => prepareBatchRequests(request, { router, requestLimits, allowsRoute, report }),
      report,
    }),
  ];
  const router = new Router(routes, mountPath);

  const serverUrlOf: ServerUrlOf = dependencies.serverUrlOf ?? (() => dependencies.serverUrl);
  const verifyCredentials = createVerifyCredentials(dependencies);
  const executeIdempotently = createIdempotency({ store: dependencies.store, ...dependencies.idempotency });

  async function handle(message: IncomingMessage, path: string, search: string): Promise<ApiReply> {
    const httpMethod = message.method ?? "GET";
    const normalizedPath = normalizePath(path);
    const client = {
      ip: dependencies.clientAddressOf(message),
      requestId: requestIdOf(message),
      headers: message.headers,
      serverUrl: serverUrlOf(message),
      speaksParse: true,
    };
    const handleFields = (fields?: JsonObject, formFiles?: ApiRequest["formFiles"]) => {
      const parsed = parseEnvelope(httpMethod, message.headers, search, fields);
      const envelope = readFunctionCall(parsed, httpMethod, normalizedPath);
      const execute = () =>
        handleEnvelope(envelope, normalizedPath, { ...client, ...(formFiles && { formFiles }) }, message);
      if (!dependencies.logRequest) return execute();
      const { method, params } = envelope;
      const { requestId } = client;
      return dependencies.logRequest({ method, url: message.url ?? path, params, requestId }, execute);
    };
    if (!hasBody(message)) {
      if (search.length > LONG_SEARCH && isTurnUsedUp()) await ownTurn();
      return await handleFields();
    }
    if (dependencies.requestLimits.areDefined())
      await assertMaySendBody(message, httpMethod, normalizedPath, client.ip);
    const { withFunctionForm } = dependencies;
    if (withFunctionForm && callsWithForm(message, normalizedPath))
      return await withFunctionForm(message, ({ fields, files }) => handleFields(fields, files));
    return await dependencies.withParsedBody(message, handleFields);
  }

  /**
   * Rejects a request that exceeds a rate limit before its body is read, as far as the headers identify the client. The
   * request is counted after its body has been read. Throws 119 or 155.
   */
  async function assertMaySendBody(
    message: IncomingMessage,
    httpMethod: string,
    path: string,
    ip: string,
  ): Promise<void> {
    assertApplicationHeader(message, dependencies.appId);
    const { headers } = message;
    if (headers["x-parse-application-id"] === undefined || headers["x-parse-master-key"] !== undefined)
      return;
    const token = headers["x-parse-session-token"];
    let auth: AuthContext | undefined;
    if (typeof token === "string" && token !== "") {
      // An invalid token is rejected once the route is known.
      auth = await dependencies.authenticateSession(token).catch(() => undefined);
    }
    // The body of a POST may override the method.
    const method = httpMethod === "POST" ? undefined : httpMethod;
    await dependencies.requestLimits.assertWithin({ method, path, auth, ip, isCounted: false });
  }

  /** Authenticates a request, then executes its route. */
  async function handleEnvelope(
    envelope: Envelope,
    path: string,
    client: Pick<ApiRequest, "ip" | "requestId" | "headers" | "serverUrl" | "speaksParse" | "formFiles">,
    message: IncomingMessage,
  ): Promise<ApiReply> {
    const route = routeFor(envelope.method, path);
    currentTracer()?.setRoute(envelope.method, mountPath + route.route.path);
    if (!(envelope.appId === undefined && route.route.isApplicationOptional)) assertApplication(envelope);
    if (envelope.method === "GET" && PURE_READS.test(path)) currentScope()?.makeCancelable();
    if (!route.route.isApplicationOptional || route.route.needsClientKey) assertClientKey(envelope);
    const verified = trace("authenticate", () =>
      verifyCredentials(envelope, client.ip, route.route.acceptsEndedSession ?? false),
    );
    const auth = verified instanceof Promise ? await verified : verified;
    noteSender(message, auth);
    assertRouteAllowed(allowsRoute, auth, path);
    const counted = dependencies.requestLimits.assertWithin({
      method: envelope.method,
      path,
      auth,
      ip: client.ip,
    });
    if (counted) await counted;
    if (message.method === "HEAD" && route.route.head) return route.route.head();
    const { installationId, context } = envelope;
    const request: RequestContext = { auth, installationId, context, ...client };
    const execute = (record: IdempotentRequest | undefined) =>
      executeRoute(
        route,
        {
          ...request,
          serverUrl: client.serverUrl,
          ...(client.formFiles && { formFiles: client.formFiles }),
          writeOptions: { idempotentWrite: record && createIdempotentWrite(record), isDivisible: true },
          method: envelope.method,
          path,
          params: envelope.params,
          pathParams: route.pathParams,
        },
        maxAnswerBytes,
      );
    if (envelope.clientRequestId === undefined) return await execute(undefined);
    return await executeIdempotently(envelope, path, request, route.route.retry, execute);
  }

  async function authenticate(
    envelope: Envelope,
    message: IncomingMessage,
    path: string,
  ): Promise<RequestContext> {
    assertApplication(envelope);
    // Pages load files by their URLs alone.
    if (envelope.method !== "GET") assertClientKey(envelope);
    const ip = dependencies.clientAddressOf(message);
    const auth = await trace("authenticate", () => verifyCredentials(envelope, ip, false));
    noteSender(message, auth);
    await dependencies.requestLimits.assertWithin({ method: envelope.method, path, auth, ip });
    return {
      auth,
      installationId: envelope.installationId,
      context: envelope.context,
      ip,
      requestId: requestIdOf(message),
      headers: message.headers,
      serverUrl: serverUrlOf(message),
    };
  }

  function assertApplication({ appId }: Envelope): void {
    if (appId !== dependencies.appId) throw new UnauthorizedError("applicationId");
  }

  /** The master key opens everything on its own. */
  function assertClientKey({ masterKey, maintenanceKey, clientKeys }: Envelope): void {
    if (masterKey === undefined && maintenanceKey === undefined && !dependencies.hasClientKey(clientKeys))
      throw new UnauthorizedError("clientKey");
  }

  function routeFor(method: Method, path: string) {
    const match = router.match(method, path);
    if (match.kind === "found") return match;
    if (match.kind === "notFound") throw routeNotFound(path);
    throw new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, `${path} takes ${match.allowed.join(", ")}`, 405);
  }

  async function executeBatchRequest(
    request: WriteRequest,
    method: string,
    fullPath: string,
    bodyParams: JsonObject,
  ): Promise<ApiReply> {
    try {
      if (!isMethod(method)) throw routeNotFound(fullPath);
      const queryStart = fullPath.indexOf("?");
      const path = normalizePath(queryStart < 0 ? fullPath : fullPath.slice(0, queryStart));
      const params =
        queryStart < 0 ? bodyParams : withQueryParams(fullPath.slice(queryStart + 1), bodyParams);
      if (!request.isInternal) assertRouteAllowed(allowsRoute, request.auth, path);
      return await executeOperation({ ...request, method, path, params });
    } catch (error) {
      return chargedErrorReply(error, (unexpected) => dependencies.report(unexpected, request.requestId));
    }
  }

  /** Counts an operation against its limits, and executes it. */
  async function executeOperation(request: Omit<WriteRequest, "pathParams">): Promise<ApiReply> {
    const { method, path, auth, ip, isInternal = false } = request;
    await dependencies.requestLimits.assertWithin({ method, path, auth, ip, isInternal });
    const match = routeFor(method, path);
    const execute = () => executeRoute(match, { ...request, pathParams: match.pathParams }, maxAnswerBytes);
    const isWrite = method === "POST" || method === "PUT";
    const record = request.writeOptions.idempotentWrite?.request;
    return record && isWrite && match.route.retry === undefined ? record.executeOnce(execute) : execute();
  }

  function executeMatched(request: WriteRequest, auth: AuthContext): Promise<ApiReply> {
    const match = routeFor(request.method, request.path);
    return executeRoute(match, { ...request, auth, pathParams: match.pathParams }, maxAnswerBytes);
  }

  const dispatch: Dispatch = (internalRequest: InternalRequest) => {
    const requestId = newRequestId();
    return withErrorReply(requestId, async () => {
      const path = normalizePath(internalRequest.path);
      const { route } = routeFor(internalRequest.method, path);
      const envelope: Envelope = {
        method: internalRequest.method,
        appId: dependencies.appId,
        masterKey: undefined,
        maintenanceKey: undefined,
        clientKeys: {},
        sessionToken: internalRequest.sessionToken,
        installationId: internalRequest.installationId,
        context: internalRequest.context ?? {},
        clientRequestId: undefined,
        isRetry: false,
        params: internalRequest.params,
      };
      const auth = internalRequest.useMasterKey
        ? MASTER
        : await verifyCredentials(envelope, "127.0.0.1", route.acceptsEndedSession ?? false);
      const { method, params, context, installationId } = envelope;
      await dependencies.requestLimits.assertWithin({
        method,
        path,
        auth,
        ip: "127.0.0.1",
        isInternal: true,
      });
      const client = {
        ip: "127.0.0.1",
        isInternal: true,
        requestId,
        serverUrl: dependencies.serverUrl,
        speaksParse: true,
        pathParams: {},
        writeOptions: {},
      };
      return executeMatched({ method, path, params, context, installationId, auth, ...client }, auth);
    });
  };

  async function withErrorReply(requestId: string, work: () => Promise<ApiReply>): Promise<ApiReply> {
    try {
      return await work();
    } catch (error) {
      return errorReply(error, (unexpected) => dependencies.report(unexpected, requestId));
    }
  }

  const execute: ParseApi["execute"] = (request, method, path, params) => {
    const { serverUrl = dependencies.serverUrl } = request;
    return executeOperation({
      ...request,
      serverUrl,
      method,
      path,
      params,
      writeOptions: { isDivisible: true },
    });
  };

  const executeForValue: ParseApi["executeForValue"] = async (request, method, path, params) => {
    const { serverUrl = dependencies.serverUrl } = request;
    const writeOptions = { isDivisible: true };
    const operation = { ...request, serverUrl, method, path, params, writeOptions, wantsValue: true };
    const reply = await executeOperation(operation);
    if (reply instanceof ValueReply) return reply;
    // Those of routes that make texts are short.
    const { body } = reply;
    return new ValueReply(JSON.parse(body), body.length);
  };

  return { routes, handle, authenticate, dispatch, execute, executeForValue };
}

/** Longer query strings may have hundreds of conditions. */
const LONG_SEARCH = 2_048;
/** Paths whose GET requests have no side effects: they are canceled when their client disconnects. */
const PURE_READS = /^\/(?:classes|aggregate)\//;

/** Parameters of the body take precedence over those of the query string. */
function withQueryParams(search: string, params: JsonObject): JsonObject {
  const query: JsonObject = {};
  addQueryParams(query, search);
  return { ...query, ...params };
}

/** Old clients send double slashes. */
function normalizePath(path: string): string {
  return path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;
}

function routeNotFound(path: string): ProtocolError {
  return new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, `Not found: ${path.slice(0, 200)}`, 404);
}
