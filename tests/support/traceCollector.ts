import { createServer } from "node:http";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";

/** A span as it was exported. */
export interface CollectedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, JsonValue>;
}

/** A name, and the trees of its children in the order of their starts. */
export type SpanTree = [name: string, ...children: SpanTree[]];

/** A server that receives traces by OTLP/HTTP in JSON. */
export interface TraceCollector {
  /** The variables of a server that exports its traces here. */
  env: Record<string, string>;
  spans: CollectedSpan[];
  /** The spans of a trace below one of its spans. */
  treesBelow(traceId: string, parentSpanId: string): SpanTree[];
  stop(): Promise<void>;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: (CollectedSpan & { startedAt: bigint })[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    for (const span of spansOf(JSON.parse(Buffer.concat(chunks).toString("utf8")))) spans.push(span);
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the collector has no port");
  const treesBelow = (traceId: string, parentSpanId: string): SpanTree[] =>
    spans
      .filter((span) => span.traceId === traceId && span.parentSpanId === parentSpanId)
      .toSorted((a, b) => Number(a.startedAt - b.startedAt))
      .map(({ name, spanId }) => [name, ...treesBelow(traceId, spanId)]);
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${address.port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "50",
    },
    spans,
    treesBelow,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function spansOf(body: JsonValue) {
  return list(body, "resourceSpans")
    .flatMap((resource) => list(resource, "scopeSpans"))
    .flatMap((scope) => list(scope, "spans"))
    .map((span) => ({
      name: String(span.name),
      traceId: String(span.traceId),
      spanId: String(span.spanId),
      parentSpanId: typeof span.parentSpanId === "string" ? span.parentSpanId : undefined,
      startedAt: BigInt(String(span.startTimeUnixNano)),
      attributes: Object.fromEntries(
        list(span, "attributes").map(({ key, value }) => [
          String(key),
          isJsonObject(value) ? (Object.values(value)[0] ?? null) : null,
        ]),
      ),
    }));
}

function list(value: JsonValue, key: string): JsonObject[] {
  const items = isJsonObject(value) ? value[key] : undefined;
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
}
