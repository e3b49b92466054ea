/*
 * Traces of what the server does. Without an exporter there is no tracer, and `trace()` is a function call; with one,
 * `openTelemetry.ts` is loaded and sets the tracer of the process.
 */

/** `client`: a call to another system, such as the database. `server`: a request from outside. */
export type SpanKind = "internal" | "client" | "server";

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: SpanAttributes;
  /** The `traceparent` of the parent, empty for none; by default, the parent is the active span. */
  parent?: string | undefined;
}

/** A span that has ended, with its steps. Times are in ms since the epoch. */
export interface TimedSpan {
  name: string;
  startedAt: number;
  endedAt: number;
  attributes?: SpanAttributes;
  children?: readonly TimedSpan[];
}

/** A span that has to be ended. */
export interface RunningSpan {
  /** Runs `work` while the span is active. */
  run<T>(work: () => T): T;
  setAttribute(name: string, value: string | number): void;
  /** Names the span by the route of its request. */
  setRoute(method: string, route: string): void;
  end(error?: unknown): void;
}

export interface Tracer {
  start(name: string, options: SpanOptions): RunningSpan;
  /** Runs `work` in a span, which ends when it has returned, or when its promise has settled. */
  run<T>(name: string, options: SpanOptions, work: () => T): T;
  /** Names the active span by the route of its request. */
  setRoute(method: string, route: string): void;
  /** Records a span that has ended. */
  record(span: TimedSpan): void;
  /** The active span in the format of the `traceparent` header. */
  traceparent(): string | undefined;
  /** The IDs of the active span. */
  ids(): { trace_id: string; span_id: string } | undefined;
}

let tracer: Tracer | undefined;

/** Sets the tracer of the process; undefined for none. */
export function setTracer(next: Tracer | undefined): void {
  tracer = next;
}

/** Returns the tracer of the process; undefined if traces are not exported. */
export function currentTracer(): Tracer | undefined {
  return tracer;
}

/** Runs `work` in a span. `options` is called only if traces are exported. */
export function trace<T>(name: string, work: () => T, options?: () => SpanOptions): T {
  return tracer === undefined ? work() : tracer.run(name, options?.() ?? {}, work);
}

/** The fields of log lines that belong to the active span: a new object for each line, because pino adds the line's own. */
export function traceFields(): object {
  return tracer?.ids() ?? {};
}

/** The headers that continue the active trace at another server. */
export function traceHeaders(): Record<string, string> {
  const traceparent = tracer?.traceparent();
  return traceparent === undefined ? {} : { traceparent };
}
