import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { ANONYMOUS, type AuthContext, MASTER, type RequestContext } from "../authContext.ts";
import { currentScope } from "../limits/requestScope.ts";
import { writeMemory } from "../objects/requestMemory.ts";
import type { Store } from "../store/store.ts";
import type { ApiReply, ApiRequest, ApiRoute, Dispatch, InnerRequest, Method } from "./api.ts";
import { batchRoute } from "./batchRoute.ts";
import type { ClientAddressOf } from "./clientAddress.ts";
import { type Envelope, openEnvelope } from "./envelope.ts";
import { addSearch } from "./form.ts";
import { createOnce, type IdempotencyOptions } from "./idempotency.ts";
import type { JudgeKey } from "./masterKey.ts";
import { errorReply } from "./reply.ts";
import { assertApplicationHeader, type WithFields } from "./requestFields.ts";
import type { AssertWithinLimits } from "./requestLimits.ts";
import { readOnly } from "./rights.ts";
import { Router } from "./router.ts";
import type { ServerUrlOf } from "./serverUrl.ts";

export interface DoorParts {
  appId: string;
  judgeKey: JudgeKey;
  /** `/server`. */
  mountPath: string;
  /** The address of the mount path, for whoever does not say by which one they came. */
  serverUrl: string;
  /** The address by which a request came; without it, always the same. */
  serverUrlOf?: ServerUrlOf;
  clientAddressOf: ClientAddressOf;
  withFields: WithFields;
  routes: ApiRoute[];
  store: Store;
  /** Paths below the mount path on which a request with an id is carried out once; none without. */
  idempotency: Omit<IdempotencyOptions, "store">;
  callerOf(sessionToken: string): Promise<AuthContext>;
  /** Asked for every request from outside, and for every part of a batch. */
  assertWithinLimits: AssertWithinLimits;
  /** Told of errors that clients are not told of. */
  report(error: unknown, requestId: string): void;
}

export interface Door {
  /** Answers one HTTP request whose path (below the mount path) and query string have been cut out. */
  handle(message: IncomingMessage, path: string, search: string): Promise<ApiReply>;
  /** Judges who sends a request whose body somebody else reads. Throws 119, 155 or 209. */
  admit(envelope: Envelope, message: IncomingMessage, path: string): Promise<RequestContext>;
  /** The same for callers inside the process. */
  dispatch: Dispatch;
  /** The same for a caller whom another door has judged. */
  runAs(request: JudgedRequest): Promise<ApiReply>;
}

export type JudgedRequest = Pick<
  ApiRequest,
  "method" | "path" | "params" | "auth" | "ip" | "requestId" | "serverUrl" | "ifUpdatedAt"
>;

/** The door of the Parse protocol: from an envelope to a reply, past the same stops for everyone. */
export function createDoor(parts: DoorParts): Door {
  const runId = randomBytes(4).toString("hex");
  let requests = 0;

  const router = new Router<ApiRoute>([
    ...parts.routes,
    batchRoute(
      parts.mountPath,
      (request, method, path, params) =>
        answer(request.requestId, async () => {
          if (method !== "GET" && method !== "POST" && method !== "PUT" && method !== "DELETE")
            throw unknownPath(path);
          const [clean = "", search = ""] = path.split("?", 2);
          const query: JsonObject = {};
          if (search !== "") addSearch(query, search);
          await parts.assertWithinLimits({ ...request, method, path: normalise(clean) });
          return run(
            { ...request, method, path: normalise(clean), params: { ...query, ...params } },
            request.auth,
          );
        }),
      parts.store,
    ),
  ]);

  const serverUrlOf: ServerUrlOf = parts.serverUrlOf ?? (() => parts.serverUrl);
  const once = createOnce({ store: parts.store, ...parts.idempotency });

  async function handle(message: IncomingMessage, path: string, search: string): Promise<ApiReply> {
    const requestId = `${runId}-${++requests}`;
    return answer(requestId, async () => {
      const verb = message.method ?? "GET";
      const normalised = normalise(path);
      const from = {
        ip: parts.clientAddressOf(message),
        requestId,
        headers: headersOf(message),
        serverUrl: serverUrlOf(message),
      };
      if (!hasBody(message)) {
        return enter(openEnvelope(verb, message.headers, search), normalised, from);
      }
      await assertMaySend(message, verb, normalised, from.ip);
      return parts.withFields(message, (fields) =>
        enter(openEnvelope(verb, message.headers, search, fields), normalised, from),
      );
    });
  }

  /**
   * Refuses, before a body is read, who has used up a limit; as far as the headers say who it is and what is wanted. The
   * request is counted when it is known as a whole. Throws 119 or 155.
   */
  async function assertMaySend(
    message: IncomingMessage,
    verb: string,
    path: string,
    ip: string,
  ): Promise<void> {
    assertApplicationHeader(message, parts.appId);
    const { headers } = message;
    if (headers["x-parse-application-id"] === undefined || headers["x-parse-master-key"] !== undefined)
      return;
    const token = headers["x-parse-session-token"];
    let auth: AuthContext | undefined;
    if (typeof token === "string" && token !== "") {
      // A token that is not good is judged where the route is known.
      auth = await parts.callerOf(token).catch(() => undefined);
    }
    // The body of a POST may say another method.
    const method = verb === "POST" ? undefined : verb;
    await parts.assertWithinLimits({ method, path, auth, ip, isCounted: false });
  }

  /** Judges the credentials, then runs the route. */
  async function enter(
    envelope: Envelope,
    path: string,
    from: Pick<ApiRequest, "ip" | "requestId" | "headers" | "serverUrl">,
  ): Promise<ApiReply> {
    const route = routeFor(envelope.method, path);
    if (!(envelope.appId === undefined && route.route.withoutApplication)) assertApplication(envelope);
    if (envelope.method === "GET" && PURE_READS.test(path)) currentScope()?.makeCancelable();
    const auth = await judge(envelope, from.ip, route.route.tolerant ?? false);
    await parts.assertWithinLimits({ method: envelope.method, path, auth, ip: from.ip });
    const { installationId, context } = envelope;
    const request: RequestContext = { auth, installationId, context, ...from };
    return once(envelope, path, request, route.route.retry, (memory) =>
      carryOut(route, {
        ...request,
        serverUrl: from.serverUrl,
        memory: memory && writeMemory(memory),
        method: envelope.method,
        path,
        params: envelope.params,
        names: route.names,
      }),
    );
  }

  async function admit(envelope: Envelope, message: IncomingMessage, path: string): Promise<RequestContext> {
    assertApplication(envelope);
    const ip = parts.clientAddressOf(message);
    const auth = await judge(envelope, ip, false);
    await parts.assertWithinLimits({ method: envelope.method, path, auth, ip });
    return {
      auth,
      installationId: envelope.installationId,
      context: envelope.context,
      ip,
      requestId: `${runId}-${++requests}`,
      headers: headersOf(message),
      serverUrl: serverUrlOf(message),
    };
  }

  function assertApplication({ appId }: Envelope): void {
    if (appId !== parts.appId) throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "unauthorized", 403);
  }

  async function judge(envelope: Envelope, ip: string, tolerant: boolean): Promise<AuthContext> {
    if (envelope.masterKey !== undefined) {
      const auth = parts.judgeKey(envelope.masterKey, ip);
      if (!auth) throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "unauthorized", 403);
      return auth;
    }
    if (envelope.sessionToken === undefined) return ANONYMOUS;
    try {
      return await parts.callerOf(envelope.sessionToken);
    } catch (error) {
      if (tolerant && error instanceof ProtocolError && error.code === ErrorCode.INVALID_SESSION_TOKEN)
        return ANONYMOUS;
      throw error;
    }
  }

  function routeFor(method: Method, path: string) {
    const match = router.match(method, path);
    if (match.kind === "found") return match;
    if (match.kind === "unknown") throw unknownPath(path);
    throw new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, `${path} takes ${match.allowed.join(", ")}`, 405);
  }

  function run(request: ApiRequest, auth: AuthContext): Promise<ApiReply> {
    const match = routeFor(request.method, request.path);
    return carryOut(match, { ...request, auth, names: match.names });
  }

  const dispatch: Dispatch = (inner: InnerRequest) => {
    const requestId = `${runId}-${++requests}`;
    return answer(requestId, async () => {
      const path = normalise(inner.path);
      const { route } = routeFor(inner.method, path);
      const envelope: Envelope = {
        method: inner.method,
        appId: parts.appId,
        masterKey: undefined,
        sessionToken: inner.sessionToken,
        installationId: inner.installationId,
        context: inner.context ?? {},
        clientRequestId: undefined,
        isRepetition: false,
        params: inner.params,
      };
      const auth = inner.useMasterKey ? MASTER : await judge(envelope, "127.0.0.1", route.tolerant ?? false);
      const { method, params, context, installationId } = envelope;
      await parts.assertWithinLimits({ method, path, auth, ip: "127.0.0.1", isInternal: true });
      const from = { ip: "127.0.0.1", isInternal: true, requestId, serverUrl: parts.serverUrl, names: {} };
      return run({ method, path, params, context, installationId, auth, ...from }, auth);
    });
  };

  async function answer(requestId: string, work: () => Promise<ApiReply>): Promise<ApiReply> {
    try {
      return await work();
    } catch (error) {
      return errorReply(error, (unexpected) => parts.report(unexpected, requestId));
    }
  }

  const runAs = (request: JudgedRequest) =>
    answer(request.requestId, () => {
      const path = normalise(request.path);
      const whole = { ...request, path, names: {}, context: {}, installationId: undefined };
      return run(whole, request.auth);
    });

  return { handle, admit, dispatch, runAs };
}

/** Paths whose GETs change nothing, not even in passing: nobody misses them when their client goes away. */
const PURE_READS = /^\/(?:classes|aggregate)\//;

async function carryOut(match: { route: ApiRoute }, request: ApiRequest): Promise<ApiReply> {
  const { auth, method } = request;
  // Whoever may only look has no business with anything but GET, whatever it would do.
  if (auth.kind === "master" && auth.readOnly && method !== "GET") throw readOnly();
  const result = await match.route.handle(request);
  return isReply(result) ? result : { status: 200, body: JSON.stringify(result) };
}

function isReply(result: unknown): result is ApiReply {
  return (
    typeof result === "object" &&
    result !== null &&
    "status" in result &&
    "body" in result &&
    typeof result.status === "number" &&
    // To look at the body of a reply in pieces would be to join them.
    ("pieces" in result || typeof result.body === "string")
  );
}

/** What code may see of a request's headers: the master key stays at the door. */
function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const { "x-parse-master-key": _, ...others } = headers;
  return Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)]));
}

function hasBody(message: IncomingMessage): boolean {
  return (
    message.headers["transfer-encoding"] !== undefined ||
    (message.headers["content-length"] !== undefined && message.headers["content-length"] !== "0")
  );
}

/** Old clients send double slashes. */
function normalise(path: string): string {
  return path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;
}

function unknownPath(path: string): ProtocolError {
  return new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, `There is nothing at ${path.slice(0, 200)}`, 404);
}
