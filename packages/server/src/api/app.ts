import { createServer, type IncomingMessage, maxHeaderSize } from "node:http";
import fastify, { type FastifyError, type FastifyInstance, type FastifyPluginAsync } from "fastify";
import type { DrainState } from "../core/drainState.ts";
import { discardBody } from "../core/http/bodyStream.ts";
import { rememberPeerAddress } from "../core/http/clientAddress.ts";
import { METHODS } from "../core/http/methods.ts";
import { errorReply, sendReply } from "../core/http/reply.ts";
import { noteError } from "../core/http/requestFacts.ts";
import { assignRequestId } from "../core/http/requestId.ts";
import { requestTarget } from "../core/http/requestTarget.ts";
import type { UnsentBytes } from "../core/limits/unsentBytes.ts";
import type { ApiName } from "../monitoring/metrics.ts";
import { parseInTurns } from "./connectionInput.ts";
import type { HintFor } from "./developmentHints.ts";
import type { HttpContext } from "./httpContext.ts";
import { closeIdleConnections } from "./idleConnections.ts";
import { traceRequests } from "./traceRequests.ts";
import { trackConnections } from "./trackConnections.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The API of a route, for the metrics. */
    api?: ApiName;
  }
}

export interface AppOptions {
  http: Pick<HttpContext, "isFromTrustedProxy" | "clientAddressOf" | "requestTurns">;
  unsent: UnsentBytes;
  /** How long a client may take to send a request, or to read the response, in ms. */
  requestTimeoutMs: number;
  /** How long a connection is kept for the client's next request, in ms. */
  keepAliveMs: number;
  drainState: DrainState;
  plugins: readonly FastifyPluginAsync[];
  /** Called after every response, with its status and duration in ms. */
  onResponse(api: ApiName, message: IncomingMessage, path: string, status: number, ms: number): void;
  report(error: unknown, during: string, requestId?: string): void;
  /** What a developer can do about an error; undefined in production. */
  hintFor?: HintFor | undefined;
  /** Called with each hint that is sent. */
  onHint?(hint: string): void;
}

/** How much of a refused body is read, in bytes, while the client notices the response. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;

/**
 * Creates the HTTP application with everything that all APIs share. Each API reads the bodies of its requests itself,
 * once it has identified the client.
 */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { http, requestTimeoutMs, keepAliveMs, drainState, onResponse, report } = options;
  const app = fastify({
    exposeHeadRoutes: false,
    genReqId: (message) => assignRequestId(message, http.isFromTrustedProxy),
    frameworkErrors(error, { id }, reply) {
      reply.header("x-request-id", id);
      sendReply(
        reply,
        errorReply(error, (unexpected) => report(unexpected, "finding a route", id)),
      );
    },
    // Open requests are answered while the server stops.
    return503OnClosing: false,
    routerOptions: { maxParamLength: maxHeaderSize },
    serverFactory: (handle) =>
      createServer(
        {
          requestTimeout: requestTimeoutMs,
          keepAliveTimeout: keepAliveMs,
          // Counts from the first byte of a request, so that it may be shorter than the time between two requests.
          headersTimeout: Math.min(15_000, requestTimeoutMs),
          connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs),
        },
        http.requestTurns.requests(handle),
      ),
  });
  parseInTurns(app.server);
  const trackResponse = closeIdleConnections(app.server, requestTimeoutMs);
  app.server.on("connection", rememberPeerAddress);
  const trackSender = trackConnections(app.server, options.unsent, http.clientAddressOf);
  // Each API declares the methods that it accepts. Fastify does not parse bodies of any content type.
  for (const method of METHODS) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  traceRequests(app, http.isFromTrustedProxy);
  app.addHook("onRequest", ({ id, raw }, reply, done) => {
    trackResponse(reply.raw);
    trackSender(raw);
    reply.header("x-request-id", id);
    // The client opens its next connection to another process.
    if (drainState.isDraining) reply.header("connection", "close");
    done();
  });
  app.addHook("onResponse", (request, { raw: response, elapsedTime }, done) => {
    const { api = "other" } = request.routeOptions.config;
    onResponse(api, request.raw, requestTarget(request).path, response.statusCode, elapsedTime);
    discardBody(request.raw, MAX_DISCARDED_BYTES);
    done();
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    noteError(request.raw, error);
    const during = `${request.method} ${requestTarget(request).path.slice(0, 200)}`;
    if (reply.raw.headersSent) {
      report(error, during, request.id);
      reply.raw.destroy();
      return;
    }
    const answer = errorReply(error, (unexpected) => report(unexpected, during, request.id));
    const hint = options.hintFor?.(error, requestTarget(request).path);
    if (hint === undefined) return void sendReply(reply, answer);
    options.onHint?.(hint);
    sendReply(reply, { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), hint }) });
  });
  for (const plugin of options.plugins) await app.register(plugin);
  await app.ready();
  return app;
}
