import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { requestTarget } from "../core/http/requestTarget.ts";
import { currentTracer, type RunningSpan } from "../core/tracing/tracing.ts";

/**
 * Adds a span to each request, if traces are exported. The trace of a client is continued if it comes from a trusted
 * proxy.
 */
export function traceRequests(
  app: FastifyInstance,
  isFromTrustedProxy: (message: IncomingMessage) => boolean,
): void {
  const tracer = currentTracer();
  if (!tracer) return;
  const running = new WeakMap<IncomingMessage, RunningSpan>();
  app.addHook("onRequest", (request, _, done) => {
    const { raw, method, id } = request;
    const { traceparent } = raw.headers;
    const { url = "" } = request.routeOptions;
    const span = tracer.start(method, {
      kind: "server",
      attributes: {
        "http.request.method": method,
        "url.path": requestTarget(request).path.slice(0, 200),
        "purse.request_id": id,
      },
      parent: typeof traceparent === "string" && isFromTrustedProxy(raw) ? traceparent : "",
    });
    // Routes with wildcards have routes of their own below them.
    if (url !== "" && !url.includes("*")) span.setRoute(method, url);
    running.set(raw, span);
    span.run(done);
  });
  app.addHook("onResponse", ({ raw }, { statusCode }, done) => {
    const span = running.get(raw);
    if (!span) return done();
    // Lines of the access log, which the next hook writes, belong to the span.
    span.run(done);
    span.setAttribute("http.response.status_code", statusCode);
    span.end(statusCode >= 500 ? new Error(String(statusCode)) : undefined);
  });
}
