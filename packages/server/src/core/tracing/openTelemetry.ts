import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Context,
  DiagLogLevel,
  diag,
  SpanKind as OtelSpanKind,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  trace as spans,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import { ProtocolError } from "@purse/protocol";
import type { Logger } from "../logger.ts";
import {
  type RunningSpan,
  type SpanKind,
  type SpanOptions,
  setTracer,
  type TimedSpan,
  type Tracer,
} from "./tracing.ts";

const KINDS: Readonly<Record<SpanKind, OtelSpanKind>> = {
  internal: OtelSpanKind.INTERNAL,
  client: OtelSpanKind.CLIENT,
  server: OtelSpanKind.SERVER,
};

/** How long the last traces may take to be exported, in ms. */
const MAX_STOP_MS = 3_000;

const GETTER = {
  keys: (carrier: Record<string, string>) => Object.keys(carrier),
  get: (carrier: Record<string, string>, key: string) => carrier[key],
};

/** Creates the exporter that `OTEL_EXPORTER_OTLP_PROTOCOL` selects. Throws Error for an unsupported protocol. */
async function createExporter(env: NodeJS.ProcessEnv): Promise<SpanExporter> {
  const protocol =
    env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? "http/protobuf";
  if (protocol === "http/protobuf") {
    const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-proto");
    return new OTLPTraceExporter();
  }
  if (protocol === "http/json") {
    const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
    return new OTLPTraceExporter();
  }
  throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json, not ${protocol}`);
}

/**
 * Starts to export traces, as the standard variables of OpenTelemetry say. Returns a function that exports what is left
 * and stops.
 */
export async function startOpenTelemetry(
  env: NodeJS.ProcessEnv,
  logger: Logger,
): Promise<() => Promise<void>> {
  const exporter = await createExporter(env);
  const report = (message: string) => logger.warn("traces could not be exported", { error: message });
  const silent = () => undefined;
  diag.setLogger(
    { error: report, warn: report, info: silent, debug: silent, verbose: silent },
    DiagLogLevel.WARN,
  );
  const resource = defaultResource()
    .merge(
      resourceFromAttributes({
        "service.name": "purse",
        "service.instance.id": `${hostname()}:${process.pid}`,
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
  const contexts = new AsyncLocalStorageContextManager().enable();
  setTracer(createTracer(provider, contexts));
  return async () => {
    setTracer(undefined);
    const stopped = provider.shutdown().catch((error: unknown) => report(String(error)));
    // A collector that is away must not delay the end of the process.
    await Promise.race([stopped, sleep(MAX_STOP_MS, undefined, { ref: false })]);
    contexts.disable();
    diag.disable();
  };
}

function createTracer(provider: BasicTracerProvider, contexts: AsyncLocalStorageContextManager): Tracer {
  const tracer = provider.getTracer("purse");
  const propagator = new W3CTraceContextPropagator();

  const parentOf = ({ parent }: SpanOptions): Context => {
    if (parent === undefined) return contexts.active();
    return propagator.extract(ROOT_CONTEXT, { traceparent: parent }, GETTER);
  };

  function start(name: string, options: SpanOptions): RunningSpan {
    const parent = parentOf(options);
    const { kind = "internal", attributes } = options;
    const span = tracer.startSpan(name, { kind: KINDS[kind], ...(attributes && { attributes }) }, parent);
    const active = spans.setSpan(parent, span);
    return {
      run: (work) => contexts.with(active, work),
      setAttribute: (key, value) => void span.setAttribute(key, value),
      setRoute: (method, route) => setRoute(span, method, route),
      end(error) {
        if (error !== undefined) setError(span, error);
        span.end();
      },
    };
  }

  function record({ name, startedAt, endedAt, attributes, children }: TimedSpan, parent: Context): void {
    const span = tracer.startSpan(name, { startTime: startedAt, ...(attributes && { attributes }) }, parent);
    for (const child of children ?? []) record(child, spans.setSpan(parent, span));
    span.end(endedAt);
  }

  const activeSpan = () => spans.getSpan(contexts.active());

  return {
    start,
    run(name, options, work) {
      const span = start(name, options);
      try {
        const result = span.run(work);
        if (result instanceof Promise) result.then(() => span.end(), span.end);
        else span.end();
        return result;
      } catch (error) {
        span.end(error);
        throw error;
      }
    },
    setRoute: (method, route) => setRoute(activeSpan(), method, route),
    record: (span) => record(span, contexts.active()),
    traceparent() {
      const carrier: Record<string, string> = {};
      propagator.inject(contexts.active(), carrier, {
        set: (target: Record<string, string>, key, value) => {
          target[key] = value;
        },
      });
      return carrier.traceparent;
    },
    ids() {
      const span = activeSpan()?.spanContext();
      return span && { trace_id: span.traceId, span_id: span.spanId };
    },
  };
}

function setRoute(span: Span | undefined, method: string, route: string): void {
  span?.updateName(`${method} ${route}`).setAttribute("http.route", route);
}

/** Messages of errors may contain data of users, so that only the kind of error is exported. */
function setError(span: Span, error: unknown): void {
  const isExpected = error instanceof ProtocolError && (error.status ?? 400) < 500;
  span.setAttribute("error.type", typeOf(error));
  if (!isExpected) span.setStatus({ code: SpanStatusCode.ERROR });
}

function typeOf(error: unknown): string {
  if (error instanceof ProtocolError) return String(error.code);
  return error instanceof Error ? error.name : "Error";
}
