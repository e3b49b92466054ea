import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import {
  ErrorCode,
  type JsonObject,
  ProtocolError,
  type StudioAccessLevel,
  type StudioError,
} from "@purse/protocol";
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
import type { Audit, AuditDetails } from "./audit.ts";
import { CHUNK_BYTES } from "./backupUploads.ts";
import { readCookie } from "./cookie.ts";
import type { Operators } from "./operators.ts";
import type { StreamReply, StudioRequest, StudioRoute } from "./route.ts";
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

/**
 * Creates the admin API. Checks cookie, origin, CSRF token and role, writes the audit log, and calls the route. Pages of
 * other origins may not use it: it sends no CORS headers.
 */
export function createAdminApi(dependencies: AdminApiDependencies): FastifyPluginAsync {
  const { routes, serverUrlOf, reportError } = dependencies;

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
    for (const route of routes) {
      app.route({
        method: route.method,
        url: route.path,
        config: { api: "studio" },
        handler: (request, reply) => respondTo(route, request, reply),
      });
    }
    for (const [url, routesOfPath] of Map.groupBy(routes, ({ path }) => path)) {
      const taken: readonly string[] = routesOfPath.map(({ method }) => method);
      const method = BROWSER_METHODS.filter((each) => !taken.includes(each));
      app.route({ method, url, config: { api: "studio" }, handler: refuseMethod });
    }
  };

  function respondTo(route: StudioRoute, request: FastifyRequest, reply: FastifyReply): void {
    handleRequest(route, request, reply).then(
      (answer) => {
        if ("stream" in answer) sendStream(reply, answer, (error) => reportError(error, request.id));
        else sendReply(reply, answer);
      },
      (error: unknown) => reply.send(error),
    );
  }

  async function handleRequest(
    route: StudioRoute,
    httpRequest: FastifyRequest,
    reply: FastifyReply,
  ): Promise<ApiReply | StreamReply> {
    const { raw: message, id: requestId } = httpRequest;
    const { method } = route;
    const pathParams = textParams(httpRequest.params);
    const serverUrl = serverUrlOf(message);
    const isSecure = serverUrl.startsWith("https:");
    const token = readCookie(message, isSecure);
    const signedIn = token === undefined ? undefined : await findSession(token);
    assertRole(route.needs, signedIn);
    if (method !== "GET" && route.needs !== "nobody" && signedIn) {
      if (!isValidCsrfToken(signedIn.session, message.headers["x-purse-csrf"])) {
        throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "The CSRF token is missing or invalid.", 403);
      }
    }
    const { params, bytes } = await readParameters(message, route, requestTarget(httpRequest).search);
    const closed = new AbortController();
    reply.raw.once("close", () => closed.abort());
    const ip = dependencies.clientAddressOf(message);
    const auditDetails: AuditDetails = {};
    const request: StudioRequest = {
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
        serverUrl,
      },
      userAgent: String(message.headers["user-agent"] ?? ""),
      isSecure,
      setAuditDetails: (note) => void Object.assign(auditDetails, note),
      closeSignal: AbortSignal.any([closed.signal, dependencies.stopSignal]),
      isSessionValid: async () => token !== undefined && (await findSession(token, false)) !== undefined,
    };
    if (method === "GET" || route.bodyType === "bytes") return toReply(await route.handle(request));
    if (route.needs === "nobody") return handleUnauthenticated(route, request, auditDetails);
    const entry = await dependencies.audit.begin({
      username: signedIn?.operator.username ?? "",
      ...(signedIn && { operatorId: signedIn.operator.id }),
      action: `${method} ${route.path}`,
      target: auditTarget(pathParams),
      address: ip,
      requestId,
    });
    try {
      const reply = toReply(await route.handle(request));
      const isDone = "stream" in reply || reply.status < 400;
      await dependencies.audit.complete(entry, isDone ? "done" : "refused", auditDetails);
      return reply;
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
    request: StudioRequest,
    auditDetails: AuditDetails,
  ): Promise<ApiReply | StreamReply> {
    const { ip: address, requestId } = request.context;
    const entry = () => ({
      username: auditDetails.target ?? "",
      action: `${route.method} ${route.path}`,
      target: auditDetails.target ?? "",
      address,
      requestId,
    });
    try {
      const reply = toReply(await route.handle(request));
      await dependencies.audit.record({ ...entry(), outcome: "done" });
      return reply;
    } catch (error) {
      const wasChecked = error instanceof ProtocolError && !(error instanceof TooManyRequestsError);
      if (wasChecked)
        await dependencies.audit.record({ ...entry(), outcome: "refused", error: error.message });
      throw error;
    }
  }

  async function findSession(token: string, recordUse = true): Promise<StudioRequest["signedIn"]> {
    const session = await dependencies.sessions.find(token, recordUse);
    const operator = session && (await dependencies.operators.get(session.operatorId));
    return session && operator && !operator.isDisabled ? { operator, session } : undefined;
  }

  async function readParameters(
    message: IncomingMessage,
    { method, bodyType, needs }: StudioRoute,
    search: string,
  ): Promise<Pick<StudioRequest, "params" | "bytes">> {
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
function assertRole(needs: StudioAccessLevel, signedIn: StudioRequest["signedIn"]): void {
  if (needs === "nobody") return;
  if (!signedIn) throw new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Sign in first.", 401);
  if (needs === "session") return;
  if (ROLE_RANK[signedIn.operator.role] >= ROLE_RANK[needs]) return;
  throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, `This requires the role ${needs}.`, 403);
}

const EMPTY_BODY = Buffer.alloc(0);
/** Maximum body size of requests without a session. */
const MAX_SIGN_IN_BYTES = 16 * 1024;
const ROLE_RANK = { readOnly: 0, editor: 1, owner: 2 } as const;

/** Read-only operators are also denied writes by the object service. */
function authOf(signedIn: StudioRequest["signedIn"]): AuthContext {
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

/** Decoded values of the path's named segments. */
function textParams(params: unknown): Record<string, string> {
  const values: Record<string, string> = {};
  if (typeof params !== "object" || params === null) return values;
  for (const [name, value] of Object.entries(params)) values[name] = String(value);
  return values;
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

function auditTarget(pathParams: Record<string, string>): string {
  return Object.values(pathParams).join("/");
}

function toReply(result: Awaited<ReturnType<StudioRoute["handle"]>>): ApiReply | StreamReply {
  if (typeof result === "object" && result !== null) {
    if (isStream(result)) return result;
    if (isReply(result)) return result;
  }
  return { status: 200, body: JSON.stringify(result) };
}

function isStream(result: object): result is StreamReply {
  return "stream" in result && "contentType" in result && typeof result.contentType === "string";
}

function isReply(result: object): result is ApiReply {
  return (
    "status" in result &&
    typeof result.status === "number" &&
    "body" in result &&
    typeof result.body === "string"
  );
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
