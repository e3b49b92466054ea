import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { AuthContext } from "../core/authContext.ts";
import type { ApiReply } from "../core/http/apiRoute.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import { BROWSER_METHODS } from "../core/http/methods.ts";
import { errorReply, sendReply } from "../core/http/reply.ts";
import { requestTarget } from "../core/http/requestTarget.ts";
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
  routes: readonly StudioRoute[];
  operators: Operators;
  sessions: StudioSessions;
  audit: Audit;
  /** Returns the URL of the Parse API as the client knows it. */
  serverUrlOf(message: IncomingMessage): string;
  clientAddressOf: ClientAddressOf;
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

type StudioHttpRequest = FastifyRequest<{ Params: Record<string, string> }>;

/**
 * Creates the admin API. Checks cookie, origin, CSRF token and role in hooks, writes the audit log, and calls the route.
 * Pages of other origins may not use it: it sends no CORS headers.
 */
export function createAdminApi(dependencies: AdminApiDependencies): FastifyPluginAsync {
  const { routes, serverUrlOf, reportError } = dependencies;

  return async (app) => {
    app.decorateRequest("signedIn");
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
    for (const route of routes) {
      const { method, path, needs } = route.endpoint;
      app.route<{ Params: Record<string, string> }>({
        method,
        url: path,
        config: { api: "studio" },
        onRequest: [
          authenticate,
          async ({ signedIn }) => assertRole(needs, signedIn),
          async (request) => assertCsrfToken(needs, request),
        ],
        handler: (request, reply) => respondTo(route, request, reply),
      });
    }
    for (const [url, routesOfPath] of Map.groupBy(routes, ({ endpoint }) => endpoint.path)) {
      const taken: readonly string[] = routesOfPath.map(({ endpoint }) => endpoint.method);
      const method = BROWSER_METHODS.filter((each) => !taken.includes(each));
      app.route({ method, url, config: { api: "studio" }, handler: refuseMethod });
    }
  };

  async function authenticate(request: FastifyRequest): Promise<void> {
    const token = readCookie(request.raw, isSecure(request));
    if (token === undefined) return;
    const signedIn = await findSession(token);
    if (signedIn) request.signedIn = signedIn;
  }

  function isSecure({ raw }: FastifyRequest): boolean {
    return serverUrlOf(raw).startsWith("https:");
  }

  function respondTo(route: StudioRoute, request: StudioHttpRequest, reply: FastifyReply): void {
    handleRequest(route, request, reply).then(
      (result) => {
        if (isStream(result)) return sendStream(reply, result, (error) => reportError(error, request.id));
        sendReply(reply, { status: route.endpoint.status ?? 200, body: JSON.stringify(result) });
      },
      (error: unknown) => reply.send(error),
    );
  }

  async function handleRequest(
    route: StudioRoute,
    httpRequest: StudioHttpRequest,
    reply: FastifyReply,
  ): Promise<unknown> {
    const { raw: message, id: requestId, params: pathParams, signedIn } = httpRequest;
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
      isSecure: isSecure(httpRequest),
      setCookie: (cookie) => void reply.header("set-cookie", cookie),
      setAuditDetails: (note) => void Object.assign(auditDetails, note),
      closeSignal: AbortSignal.any([closed.signal, dependencies.stopSignal]),
      isSessionValid: async () =>
        signedIn !== undefined && (await findSession(signedIn.session.token, false)) !== undefined,
    };
    if (method === "GET" || bodyType === "bytes") return route.handle(request);
    if (needs === "nobody") return handleUnauthenticated(route, request, auditDetails);
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

/** Read-only operators are also denied writes by the object service. */
function authOf(signedIn: SignedIn | undefined): AuthContext {
  if (!signedIn) return { kind: "anonymous" };
  const { id, username, role } = signedIn.operator;
  return { kind: "master", operator: { id, username }, ...(role === "readOnly" && { readOnly: true }) };
}

async function refuseMethod({ method, url }: FastifyRequest): Promise<never> {
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
  { stream, contentType, fileName, contentSecurityPolicy }: StreamReply,
  report: (error: unknown) => void,
): void {
  reply.header("content-type", contentType);
  if (fileName !== undefined) reply.header("content-disposition", `attachment; filename="${fileName}"`);
  if (contentSecurityPolicy !== undefined) reply.header("content-security-policy", contentSecurityPolicy);
  reply.send(Readable.from(stream).on("error", report));
}
