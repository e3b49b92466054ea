import type { IncomingMessage, ServerResponse } from "node:http";
import {
  ErrorCode,
  type JsonObject,
  ProtocolError,
  type StudioError,
  type StudioRight,
} from "@purse/protocol";
import type { AuthContext } from "../authContext.ts";
import type { ApiReply, Method } from "../http/api.ts";
import { withBody } from "../http/body.ts";
import type { BodyMemory } from "../http/bodyMemory.ts";
import { MASTER_JSON_LIMITS, parseJsonBody, UNIDENTIFIED_CLIENT_LIMITS } from "../http/bodyParser.ts";
import type { ClientAddressOf } from "../http/clientAddress.ts";
import { addQueryParams } from "../http/form.ts";
import { errorReply } from "../http/reply.ts";
import { Router } from "../http/router.ts";
import { TooManyRequestsError } from "../limits/tooManyRequests.ts";
import type { Audit, AuditNote } from "./audit.ts";
import { PIECE_BYTES } from "./backupUploads.ts";
import { cookieOf } from "./cookie.ts";
import type { Operators } from "./operators.ts";
import type { StreamReply, StudioRequest, StudioRoute } from "./route.ts";
import { isCsrf, type StudioSessions } from "./sessions.ts";
import { SecondFactorWanted } from "./signIn.ts";

export interface StudioDoorParts {
  routes: readonly StudioRoute[];
  operators: Operators;
  sessions: StudioSessions;
  audit: Audit;
  /** Where the protocol is served, as the client of a request knows it. */
  serverUrlOf(message: IncomingMessage): string;
  clientAddressOf: ClientAddressOf;
  maxBodyBytes: number;
  bodyMemory: BodyMemory;
  newRequestId(): string;
  /** Ends answers that last when the server stops. */
  stopping: AbortSignal;
  report(error: unknown, requestId: string): void;
}

/** The rows of a conflict, beside its error. */
export class Conflict extends ProtocolError {
  readonly current: JsonObject;

  constructor(current: JsonObject) {
    super(ErrorCode.CACHE_MISS, "The object has been changed meanwhile.", 409);
    this.current = current;
  }
}

/** The door of the studio: cookie, origin, CSRF token, role, audit trail; then the route. */
export function createStudioDoor(parts: StudioDoorParts) {
  const router = new Router<StudioRoute>(parts.routes);

  return async function handle(
    message: IncomingMessage,
    response: ServerResponse,
    path: string,
    search: string,
  ): Promise<void> {
    const requestId = parts.newRequestId();
    try {
      const reply = await answer(message, response, path, search, requestId);
      if ("stream" in reply) await tell(response, reply);
      else send(response, reply);
    } catch (error) {
      if (response.headersSent) {
        response.destroy();
        throw error;
      }
      send(
        response,
        refusal(error, (unexpected) => parts.report(unexpected, requestId)),
      );
    }
  };

  async function answer(
    message: IncomingMessage,
    response: ServerResponse,
    path: string,
    search: string,
    requestId: string,
  ): Promise<ApiReply | StreamReply> {
    const method = methodOf(message.method);
    const serverUrl = parts.serverUrlOf(message);
    assertOwnOrigin(message, serverUrl);
    const match = router.match(method, path);
    if (match.kind !== "found") {
      const [status, text] =
        match.kind === "methodNotAllowed" ? [405, `${path} does not take ${method}`] : [404, path];
      throw new ProtocolError(
        ErrorCode.COMMAND_UNAVAILABLE,
        `There is nothing: ${text.slice(0, 200)}`,
        status,
      );
    }
    const { route, pathParams: names } = match;
    const isSecure = serverUrl.startsWith("https:");
    const token = cookieOf(message, isSecure);
    const signedIn = token === undefined ? undefined : await whoHas(token);
    assertRight(route.needs, signedIn);
    if (method !== "GET" && route.needs !== "nobody" && signedIn) {
      if (!isCsrf(signedIn.session, message.headers["x-purse-csrf"])) {
        throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "The CSRF token is missing or wrong.", 403);
      }
    }
    const { params, bytes } = await bodyOf(message, route, search);
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const ip = parts.clientAddressOf(message);
    const noted: AuditNote = {};
    const request: StudioRequest = {
      params,
      bytes,
      names,
      signedIn,
      context: {
        auth: callerOf(signedIn),
        installationId: undefined,
        context: {},
        ip,
        requestId,
        serverUrl,
      },
      userAgent: String(message.headers["user-agent"] ?? ""),
      isSecure,
      note: (note) => void Object.assign(noted, note),
      gone: AbortSignal.any([gone.signal, parts.stopping]),
      isStillGood: async () => token !== undefined && (await whoHas(token, false)) !== undefined,
    };
    if (method === "GET" || route.takes === "bytes") return replyOf(await route.handle(request));
    if (route.needs === "nobody") return tellAfterwards(route, request, noted);
    const entry = await parts.audit.begin({
      username: signedIn?.operator.username ?? "",
      ...(signedIn && { operatorId: signedIn.operator.id }),
      action: `${method} ${route.path}`,
      target: targetOf(names),
      address: ip,
      requestId,
    });
    try {
      const reply = replyOf(await route.handle(request));
      const isDone = "stream" in reply || reply.status < 400;
      await parts.audit.end(entry, isDone ? "done" : "refused", noted);
      return reply;
    } catch (error) {
      await parts.audit.end(entry, "refused", noted, error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /** Of those whom nobody knows only tries that were judged are told: nobody fills the trail from outside. */
  async function tellAfterwards(
    route: StudioRoute,
    request: StudioRequest,
    noted: AuditNote,
  ): Promise<ApiReply | StreamReply> {
    const { ip: address, requestId } = request.context;
    const entry = () => ({
      username: noted.target ?? "",
      action: `${route.method} ${route.path}`,
      target: noted.target ?? "",
      address,
      requestId,
    });
    try {
      const reply = replyOf(await route.handle(request));
      await parts.audit.tell({ ...entry(), outcome: "done" });
      return reply;
    } catch (error) {
      const isJudged = error instanceof ProtocolError && !(error instanceof TooManyRequestsError);
      if (isJudged) await parts.audit.tell({ ...entry(), outcome: "refused", error: error.message });
      throw error;
    }
  }

  async function whoHas(token: string, noteUse = true): Promise<StudioRequest["signedIn"]> {
    const session = await parts.sessions.find(token, noteUse);
    const operator = session && (await parts.operators.get(session.operatorId));
    return session && operator && !operator.isDisabled ? { operator, session } : undefined;
  }

  async function bodyOf(
    message: IncomingMessage,
    { method, takes, needs }: StudioRoute,
    search: string,
  ): Promise<Pick<StudioRequest, "params" | "bytes">> {
    const params: JsonObject = {};
    addQueryParams(params, search);
    if (method === "GET") {
      message.resume();
      return { params, bytes: NOTHING };
    }
    // A form of another site cannot send these types without asking first.
    const type = takes === "bytes" ? "application/octet-stream" : "application/json";
    if (method !== "DELETE" && message.headers["content-type"]?.split(";", 1)[0]?.toLowerCase() !== type) {
      throw new ProtocolError(ErrorCode.INVALID_JSON, `The body must be ${type}.`, 415);
    }
    const { bodyMemory, maxBodyBytes } = parts;
    if (takes === "bytes") {
      return {
        params,
        bytes: await withBody(
          message,
          PIECE_BYTES,
          bodyMemory,
          (body) => body,
          async (bytes) => bytes,
        ),
      };
    }
    // Those who are not signed in have a name, a password and a code to send.
    const limits =
      needs === "nobody"
        ? { ...UNIDENTIFIED_CLIENT_LIMITS, bytes: SIGN_IN_BYTES }
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
    return { params: fields, bytes: NOTHING };
  }
}

/** Everything that was refused at the door by the role that a route needs. */
function assertRight(needs: StudioRight, signedIn: StudioRequest["signedIn"]): void {
  if (needs === "nobody") return;
  if (!signedIn) throw new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Sign in first.", 401);
  if (needs === "session") return;
  if (RANK[signedIn.operator.role] >= RANK[needs]) return;
  throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, `This needs the role ${needs}.`, 403);
}

const NOTHING = Buffer.alloc(0);
/** Largest body of a request that needs no session. */
const SIGN_IN_BYTES = 16 * 1024;
const RANK = { readOnly: 0, editor: 1, owner: 2 } as const;

/** Who looks only is refused changes by the pipeline too. */
function callerOf(signedIn: StudioRequest["signedIn"]): AuthContext {
  if (!signedIn) return { kind: "anonymous" };
  const { id, username, role } = signedIn.operator;
  return { kind: "master", operator: { id, username }, ...(role === "readOnly" && { readOnly: true }) };
}

/**
 * A page of another site has no business here, whatever the browser sends along. Hosts are compared, not schemes:
 * behind a proxy the server may not know that its pages came by https.
 */
function assertOwnOrigin({ headers }: IncomingMessage, serverUrl: string): void {
  const { origin } = headers;
  const site = headers["sec-fetch-site"];
  const isForeign = site !== undefined && site !== "same-origin" && site !== "none";
  const known = [headers.host, new URL(serverUrl).host];
  const isOther = origin !== undefined && !(URL.canParse(origin) && known.includes(new URL(origin).host));
  if (!isForeign && !isOther) return;
  throw new ProtocolError(ErrorCode.X_DOMAIN_REQUEST, "Requests from other sites are refused.", 403);
}

function methodOf(method: string | undefined): Method {
  if (method === "GET" || method === "POST" || method === "PUT" || method === "DELETE") return method;
  throw new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, "GET, POST, PUT and DELETE are taken.", 405);
}

function targetOf(names: Record<string, string>): string {
  return Object.values(names).join("/");
}

function replyOf(result: Awaited<ReturnType<StudioRoute["handle"]>>): ApiReply | StreamReply {
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

function refusal(error: unknown, report: (error: unknown) => void): ApiReply {
  const reply = errorReply(error, report);
  const extra: Partial<StudioError> =
    error instanceof Conflict
      ? { current: error.current }
      : error instanceof SecondFactorWanted
        ? { secondFactor: true }
        : {};
  return { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), ...extra }) };
}

const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

function send(response: ServerResponse, reply: ApiReply): void {
  response.writeHead(reply.status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(reply.body),
    ...HEADERS,
    ...reply.headers,
    // What is left of a body that was too large, or that nobody wanted, is not read.
    ...(reply.status >= 400 && { connection: "close" }),
  });
  response.end(reply.body);
}

/** Sends pieces as fast as they are read, and no faster. */
async function tell(response: ServerResponse, { stream, contentType, fileName }: StreamReply): Promise<void> {
  response.writeHead(200, {
    "content-type": contentType,
    ...HEADERS,
    ...(fileName !== undefined && { "content-disposition": `attachment; filename="${fileName}"` }),
  });
  response.flushHeaders();
  for await (const piece of stream) {
    if (response.destroyed) return;
    if (!response.write(piece)) {
      await new Promise<void>((resolve) => {
        response.once("drain", resolve);
        response.once("close", resolve);
      });
    }
  }
  response.end();
}
