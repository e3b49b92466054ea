import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { AuthContext } from "../core/authContext.ts";
import type { ApiReply } from "../core/http/apiRoute.ts";
import { withBody } from "../core/http/body.ts";
import type { BodyMemory } from "../core/http/bodyMemory.ts";
import { MASTER_JSON_LIMITS, parseJsonBody, UNIDENTIFIED_CLIENT_LIMITS } from "../core/http/bodyParser.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import { addQueryParams } from "../core/http/form.ts";
import { BROWSER_METHODS } from "../core/http/methods.ts";
import { errorReply, sendReply } from "../core/http/reply.ts";
import { requestTarget } from "../core/http/requestTarget.ts";
import { TooManyRequestsError } from "../core/limits/tooManyRequests.ts";
import type { Endpoint } from "../studioApi/endpoint.ts";
import type { StudioError } from "../studioApi/errors.ts";
import type { StudioAccessLevel } from "../studioApi/roles.ts";
import type { Audit, AuditDetails } from "./audit.ts";
import { CHUNK_BYTES } from "./backupUploads.ts";
import { readCookie } from "./cookie.ts";
import type { Operators } from "./operators.ts";
import type { SignedIn, StreamReply, StudioRoute, UncheckedRequest } from "./route.ts";
import { isValidCsrfToken, type StudioSessions } from "./sessions.ts";
import { SecondFactorRequiredError } from "./signIn.ts";

export interface AdminApiDependencies {
  routes: readonly StudioRoute[];
  operators: Operators;
  sessions: StudioSessions;
  audit: Audit;
  /** Returns the URL of the Parse API as the client knows it. */
  serverUrlOf(message: IncomingMessage): string;
  clientAddressOf: ClientAddressOf;
  maxBodyBytes: number;
  bodyMemory: BodyMemory;
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

declare module "fastify" {
  interface FastifyRequest {
    /** The operator who sends a request of the admin API. */
    signedIn?: SignedIn;
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
      const wasChecked = error instanceof ProtocolError && !(error instanceof TooManyRequestsError);
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

  async function readParameters(
    message: IncomingMessage,
    { method, bodyType, needs }: Endpoint,
    search: string,
  ): Promise<Pick<UncheckedRequest, "params" | "bytes">> {
    const params: JsonObject = {};
    addQueryParams(params, search);
    if (method === "GET") {
      message.resume();
      return { params, bytes: EMPTY_BODY };
    }
    // Cross-site forms cannot send these content types without a preflight request.
    const type = bodyType === "bytes" ? "application/octet-stream" : "application/json";
    if (method !== "DELETE" && message.headers["content-type"]?.split(";", 1)[0]?.toLowerCase() !== type) {
      throw new ProtocolError(ErrorCode.INVALID_JSON, `The body must be ${type}.`, 415);
    }
    const { bodyMemory, maxBodyBytes } = dependencies;
    if (bodyType === "bytes") {
      return {
        params,
        bytes: await withBody(
          message,
          CHUNK_BYTES,
          bodyMemory,
          (body) => body,
          async (bytes) => bytes,
        ),
      };
    }
    // Without a session, clients only send a name, a password and a code.
    const limits =
      needs === "nobody"
        ? { ...UNIDENTIFIED_CLIENT_LIMITS, bytes: MAX_SIGN_IN_BYTES }
        : { bytes: maxBodyBytes, json: MASTER_JSON_LIMITS };
    const fields = await withBody(
      message,
      limits.bytes,
      bodyMemory,
      (body) => parseJsonBody(body, limits.json),
      async (parsed) => parsed,
    );
    for (const [name, value] of Object.entries(params))
      if (!Object.hasOwn(fields, name)) fields[name] = value;
    return { params: fields, bytes: EMPTY_BODY };
  }
}

/** Throws unless the operator has the role that a route requires. */
function assertRole(needs: StudioAccessLevel, signedIn: SignedIn | undefined): void {
  if (needs === "nobody") return;
  if (!signedIn) throw new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Sign in first.", 401);
  if (needs === "session") return;
  if (ROLE_RANK[signedIn.operator.role] >= ROLE_RANK[needs]) return;
  throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, `This requires the role ${needs}.`, 403);
}

/** Throws unless a change has the CSRF token of its session. */
function assertCsrfToken(needs: StudioAccessLevel, { method, headers, signedIn }: FastifyRequest): void {
  if (method === "GET" || needs === "nobody" || !signedIn) return;
  if (isValidCsrfToken(signedIn.session, headers["x-purse-csrf"])) return;
  throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "The CSRF token is missing or invalid.", 403);
}

const EMPTY_BODY = Buffer.alloc(0);
/** Maximum body size of requests without a session. */
const MAX_SIGN_IN_BYTES = 16 * 1024;
const ROLE_RANK = { readOnly: 0, editor: 1, owner: 2 } as const;

/** Read-only operators are also denied writes by the object service. */
function authOf(signedIn: SignedIn | undefined): AuthContext {
  if (!signedIn) return { kind: "anonymous" };
  const { id, username, role } = signedIn.operator;
  return { kind: "master", operator: { id, username }, ...(role === "readOnly" && { readOnly: true }) };
}

/**
 * Rejects cross-site requests, regardless of their cookies. Compares hosts but not schemes: behind a proxy the server
 * may not know that its pages use https.
 */
function assertSameOrigin({ headers }: IncomingMessage, serverUrl: string): void {
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  const isCrossSite = site !== undefined && site !== "same-origin" && site !== "none";
  const knownHosts = [headers.host, new URL(serverUrl).host];
  const isOtherOrigin =
    origin !== undefined && !(URL.canParse(origin) && knownHosts.includes(new URL(origin).host));
  if (!isCrossSite && !isOtherOrigin) return;
  throw new ProtocolError(ErrorCode.X_DOMAIN_REQUEST, "Cross-site requests are not allowed.", 403);
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
  { stream, contentType, fileName }: StreamReply,
  report: (error: unknown) => void,
): void {
  reply.header("content-type", contentType);
  if (fileName !== undefined) reply.header("content-disposition", `attachment; filename="${fileName}"`);
  reply.send(Readable.from(stream).on("error", report));
}
