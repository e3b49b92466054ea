import type { JsonObject } from "@purse/protocol";
import { z } from "zod";
import { type ApiOperation, createOpenApi } from "../../core/openApi.ts";
import { STREAM_ENDPOINTS, type StreamEndpoint } from "./streamEndpoints.ts";

/** Describes the Streams API. `dataUrl` as `https://…/api/v2`. */
export function streamsOpenApi(dataUrl: string): JsonObject {
  return createOpenApi(() => ({
    title: "Purse streams API",
    description: "The Streams API of Moralis: sends what happens on chains to webhooks.",
    serverUrl: dataUrl,
    operations: Object.values(STREAM_ENDPOINTS).map(operationOf),
    error: z.object({ message: z.string() }),
    securitySchemes: {
      apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "The master key" },
      masterKey: { type: "apiKey", in: "header", name: "X-Parse-Master-Key" },
    },
  }))();
}

function operationOf({ method, path, tag, summary, input, response }: StreamEndpoint): ApiOperation {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  const shape = Object.fromEntries(Object.entries(input.shape).filter(([name]) => !names.includes(name)));
  const rest = z.object(shape);
  const isEmpty = Object.keys(shape).length === 0;
  return {
    method,
    path,
    tag,
    summary,
    response,
    access: "master key",
    security: [{ apiKey: [] }, { masterKey: [] }],
    ...(method === "GET" && !isEmpty && { query: rest }),
    ...(method !== "GET" && !isEmpty && { body: { "application/json": rest } }),
  };
}
