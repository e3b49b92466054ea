import { currentTracer, type SpanAttributes } from "../core/tracing/tracing.ts";
import { decorateStore, type StoreOperation } from "./decoratedStore.ts";
import type { Store } from "./store.ts";

/** Operations of the maintenance of the database, which no request waits for. */
const UNTRACED: ReadonlySet<StoreOperation> = new Set([
  "loadClasses",
  "scanRelations",
  "scanUniqueValues",
  "deleteExpiredRequests",
  "deleteExpired",
  "publish",
  "probeWrite",
  "sizeBytes",
] as const);

/** Traces of changes are remembered until live queries have dispatched them, or until so many others came. */
const MAX_CHANGES = 10_000;

/** The traces of written objects, by `changeKey`: changes come back by another way. */
const changes = new Map<string, string>();

/** Wraps a store, so that each operation that requests wait for is a span. Returns the store itself if traces are not exported. */
export function traceStore(store: Store, system: "sqlite" | "postgresql"): Store {
  const tracer = currentTracer();
  if (!tracer) return store;
  return decorateStore(store, (operation, subject, run) => {
    if (UNTRACED.has(operation)) return run();
    const className = classOf(subject);
    const attributes: SpanAttributes = {
      "db.system.name": system,
      "db.operation.name": operation,
      ...(className !== undefined && { "db.collection.name": className }),
    };
    const label = className === undefined ? operation : `${operation} ${className}`;
    return tracer.run(label, { kind: "client", attributes }, () => {
      rememberChanges(subject, tracer.traceparent());
      return run();
    });
  });
}

/**
 * Returns the `traceparent` of the write that caused a change, if it was made by this process. `updatedAt` is empty for
 * a deletion.
 */
export function takeChangeTrace(className: string, objectId: string, updatedAt: string): string | undefined {
  const key = changeKey(className, objectId, updatedAt);
  const traceparent = changes.get(key);
  changes.delete(key);
  return traceparent;
}

function rememberChanges(writes: unknown, traceparent: string | undefined): void {
  if (!Array.isArray(writes) || traceparent === undefined) return;
  for (const write of writes) {
    const className = classOf(write);
    const { kind, id, at = "" } = Object(write);
    if (className === undefined || typeof id !== "string") continue;
    changes.set(changeKey(className, id, kind === "delete" ? "" : String(at)), traceparent);
    const [oldest] = changes.keys();
    if (changes.size > MAX_CHANGES && oldest !== undefined) changes.delete(oldest);
  }
}

function changeKey(className: string, objectId: string, updatedAt: string): string {
  return `${className}/${objectId}/${updatedAt}`;
}

/** The class of the first argument of a store's method: a schema, a query, or writes. */
function classOf(argument: unknown): string | undefined {
  if (typeof argument === "string") return undefined;
  const { schema, className } = Object(Array.isArray(argument) ? argument[0] : argument);
  const known: unknown = className ?? Object(schema).className;
  return typeof known === "string" ? known : undefined;
}
