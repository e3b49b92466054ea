import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { AuthContext } from "../core/authContext.ts";
import { type ApiReply, isMethod } from "../core/http/apiRoute.ts";
import { chunkedReply } from "../core/http/chunkedReply.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import { BROWSER_METHODS } from "../core/http/methods.ts";
import { errorReply, sendReply } from "../core/http/reply.ts";
import { requestTarget, targetBelow } from "../core/http/requestTarget.ts";
import { Router } from "../core/http/router.ts";
import { AnswerSize } from "../core/limits/answerSize.ts";
import { answerChunks } from "../core/limits/answerText.ts";
import { TooManyRequestsError } from "../core/limits/tooManyRequests.ts";
import type { StudioError } from "../studioApi/errors.ts";
import type { Audit, AuditDetails } from "./audit.ts";
import { readCookie } from "./cookie.ts";
import type { Operators } from "./operators.ts";
import { type ParameterLimits, readParameters } from "./readParameters.ts";
import { assertCsrfToken, assertRole, assertSameOrigin } from "./requestChecks.ts";
import type { SignedIn, StreamReply, StudioRoute, UncheckedRequest } from "./route.ts";
import type { StudioSessions } from "./sessions.ts";
import { SecondFactorRequiredError } from "./signIn.ts";

export interface AdminApiDependencies extends ParameterLimits {
  /** Called with the first request. */
  openRoutes(): Promise<readonly StudioRoute[]>;
  operators: Operators;
  sessions: StudioSessions;
  audit: Audit;
  /** Returns the URL of the Parse API as the client knows it. */
  serverUrlOf(message: IncomingMessage): string;
  clientAddressOf: ClientAddressOf;
  /** Maximum size of a response, in bytes. */
  maxAnswerBytes: number;
  /** Ends streams when the server stops. */
  stopSignal: AbortSignal;
  reportError(error: unknown, requestId: string): void;
}

/** An edit conflict; the response contains the current row. */
export class ConflictError extends ProtocolError {
  readonly current: JsonObject;

  constructor(current: JsonObject) {
    super(ErrorCode.CACHE_MISS, "The object was changed in the meantime.", 409);
    this.current = current;
  }
}

/** A route as the router finds it. */
interface RoutedEndpoint extends Pick<StudioRoute["endpoint"], "method" | "path"> {
  route: StudioRoute;
}

/**
 * Creates the admin API. Checks origin, cookie, role and CSRF token, writes the audit log, and calls the route. Pages of
 * other origins may not use it: it sends no CORS headers.
 */
export function createAdminApi(dependencies: AdminApiDependencies): FastifyPluginAsync {
  const { serverUrlOf, reportError } = dependencies;
  let openedRouter: Promise<Router<RoutedEndpoint>> | undefined;

  return async (app) => {
    app.addHook("onRequest", async ({ raw }, reply) => {
      reply.headers(SECURITY_HEADERS);
      assertSameOrigin(raw, serverUrlOf(raw));
    });
    app.setErrorHandler((error, { id }, reply) => {
      sendReply(
        reply,
        toErrorReply(error, (unexpected) => reportError(unexpected, id)),
      );
    });
    app.setNotFoundHandler((request) => {
      throw notFound(requestTarget(request).path.slice(app.prefix.length));
    });
    app.route({
      method: BROWSER_METHODS,
      url: "/*",
      config: { api: "studio" },
      handler: (request, reply) =>
        void respond(request, reply, app.prefix).catch((error: unknown) => reply.send(error)),
    });
  };

  async function respond(request: FastifyRequest, reply: FastifyReply, prefix: string): Promise<void> {
    openedRouter ??= dependencies.openRoutes().then((routes) => createRouter(routes, prefix));
    const { route, pathParams } = findRoute(await openedRouter, request, prefix);
    const { needs, status = 200 } = route.endpoint;
    const signedIn = await authenticate(request);
    assertRole(needs, signedIn);
    assertCsrfToken(needs, request.raw, signedIn);
    const result = await handleRequest(route, pathParams, signedIn, request, reply);
    if (isStream(result)) sendStream(reply, result, (error) => reportError(error, request.id));
    else
      sendReply(
        reply,
        chunkedReply(await answerChunks(result, new AnswerSize(dependencies.maxAnswerBytes)), { status }),
      );
  }

  async function authenticate({ raw }: FastifyRequest): Promise<SignedIn | undefined> {
    const token = readCookie(raw, serverUrlOf(raw).startsWith("https:"));
    return token === undefined ? undefined : findSession(token);
  }

  async function handleRequest(
    route: StudioRoute,
    pathParams: Record<string, string>,
    signedIn: SignedIn | undefined,
    httpRequest: FastifyRequest,
    reply: FastifyReply,
  ): Promise<unknown> {
    const { raw: message, id: requestId } = httpRequest;
    const { method, path, needs, bodyType } = route.endpoint;
    const { params, bytes } = await readParameters(
      dependencies,
      message,
      route.endpoint,
      requestTarget(httpRequest).search,
    );
    const closed = new AbortController();
    reply.raw.once("close", () => closed.abort());
    const ip = dependencies.clientAddressOf(message);
    const auditDetails: AuditDetails = {};
    const request: UncheckedRequest = {
      params,
      bytes,
      pathParams,
      signedIn,
      context: {
        auth: authOf(signedIn),
        installationId: undefined,
        context: {},
        ip,
        requestId,
        serverUrl: serverUrlOf(message),
      },
      userAgent: String(message.headers["user-agent"] ?? ""),
      isSecure: serverUrlOf(message).startsWith("https:"),
      setCookie: (cookie) => void reply.header("set-cookie", cookie),
      setAuditDetails: (note) => void Object.assign(auditDetails, note),
      closeSignal: AbortSignal.any([closed.signal, dependencies.stopSignal]),
      isSessionValid: async () =>
        signedIn !== undefined && (await findSession(signedIn.session.token, false)) !== undefined,
    };
    if (method === "GET" || bodyType === "bytes" || isPreview(route, params)) return route.handle(request);
    if (needs === "none") return handleUnauthenticated(route, request, auditDetails);
    const entry = await dependencies.audit.begin({
      username: signedIn?.operator.username ?? "",
      ...(signedIn && { operatorId: signedIn.operator.id }),
      action: `${method} ${path}`,
      target: Object.values(pathParams).join("/"),
      address: ip,
      requestId,
    });
    try {
      const result = await route.handle(request);
      await dependencies.audit.complete(entry, "done", auditDetails);
      return result;
    } catch (error) {
      await dependencies.audit.complete(
        entry,
        "refused",
        auditDetails,
        error instanceof Error ? error.message : String(error),
      );
      throw error;
    }
  }

  /**
   * Handles requests without a session. Only attempts whose credentials were checked are logged, so that the audit log
   * cannot be flooded from outside.
   */
  async function handleUnauthenticated(
    route: StudioRoute,
    request: UncheckedRequest,
    auditDetails: AuditDetails,
  ): Promise<unknown> {
    const { ip: address, requestId } = request.context;
    const entry = () => ({
      username: auditDetails.target ?? "",
      action: `${route.endpoint.method} ${route.endpoint.path}`,
      target: auditDetails.target ?? "",
      address,
      requestId,
    });
    try {
      const result = await route.handle(request);
      await dependencies.audit.record({ ...entry(), outcome: "done" });
      return result;
    } catch (error) {
      const wasChecked =
        error instanceof ProtocolError &&
        error.code !== ErrorCode.INVALID_QUERY &&
        !(error instanceof TooManyRequestsError);
      if (wasChecked)
        await dependencies.audit.record({ ...entry(), outcome: "refused", error: error.message });
      throw error;
    }
  }

  async function findSession(token: string, recordUse = true): Promise<SignedIn | undefined> {
    const session = await dependencies.sessions.find(token, recordUse);
    const operator = session && (await dependencies.operators.get(session.operatorId));
    return session && operator && !operator.isDisabled ? { operator, session } : undefined;
  }
}

/** Whether a request changes nothing, even if it succeeds. */
function isPreview({ endpoint: { preview } }: StudioRoute, { dryRun }: JsonObject): boolean {
  return preview === "always" || (preview === "dryRun" && dryRun === true);
}

/** Read-only operators are also denied writes by the object service. */
function authOf(signedIn: SignedIn | undefined): AuthContext {
  if (!signedIn) return { kind: "anonymous" };
  const { id, username, role } = signedIn.operator;
  return { kind: "master", operator: { id, username }, ...(role === "readOnly" && { readOnly: true }) };
}

function createRouter(routes: readonly StudioRoute[], prefix: string): Router<RoutedEndpoint> {
  return new Router(
    routes.map((route) => ({ method: route.endpoint.method, path: route.endpoint.path, route })),
    prefix,
  );
}

/** Throws 404 if there is no such path, and 405 if there is one that does not take the method. */
function findRoute(
  router: Router<RoutedEndpoint>,
  request: FastifyRequest,
  prefix: string,
): { route: StudioRoute; pathParams: Record<string, string> } {
  const path = targetBelow(request, prefix)?.path;
  if (path === undefined) throw notFound(requestTarget(request).path);
  const { method, url } = request;
  const match = router.match(isMethod(method) ? method : "GET", path);
  if (match.kind === "notFound") throw notFound(path);
  if (match.kind === "found" && isMethod(method))
    return { route: match.route.route, pathParams: match.pathParams };
  throw new ProtocolError(
    ErrorCode.COMMAND_UNAVAILABLE,
    `There is nothing: ${url.slice(0, 200)} does not take ${method}`,
    405,
  );
}

function notFound(path: string): ProtocolError {
  return new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, `There is nothing: ${path.slice(0, 200)}`, 404);
}

function isStream(result: unknown): result is StreamReply {
  if (typeof result !== "object" || result === null || !("stream" in result)) return false;
  // A row may have a field of this name, but JSON is never iterated asynchronously.
  return typeof result.stream === "object" && result.stream !== null && Symbol.asyncIterator in result.stream;
}

function toErrorReply(error: unknown, reportError: (error: unknown) => void): ApiReply {
  const reply = errorReply(error, reportError);
  const extraFields: Partial<StudioError> =
    error instanceof ConflictError
      ? { current: error.current }
      : error instanceof SecondFactorRequiredError
        ? { secondFactor: true }
        : {};
  return { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), ...extraFields }) };
}

const SECURITY_HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/** Streams a response; an error ends it, because its status has been sent. */
function sendStream(
  reply: FastifyReply,
  { stream, contentType, fileName }: StreamReply,
  report: (error: unknown) => void,
): void {
  reply.header("content-type", contentType);
  if (fileName !== undefined) reply.header("content-disposition", `attachment; filename="${fileName}"`);
  reply.send(Readable.from(stream).on("error", report));
}
