import type { IncomingMessage } from "node:http";
import type { JsonObject } from "@purse/protocol";
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { ApiReply } from "../../core/http/apiRoute.ts";
import { withBody } from "../../core/http/body.ts";
import { jsonObjectIn, sendMessageErrors } from "../../core/http/moralisApi.ts";
import { addQueryParams } from "../../core/http/parseForm.ts";
import { respond } from "../../core/http/reply.ts";
import { requestTarget } from "../../core/http/requestTarget.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import type { HttpFacts } from "../../module/tokens.ts";
import type { StreamRoute } from "./streamRoutes.ts";

export interface StreamsApiDependencies {
  routes: readonly StreamRoute[];
  /** As `https://…/api/v2`. */
  dataUrl: string;
  http: Pick<HttpFacts, "bodyMemory" | "verifyMasterKey" | "clientAddressOf">;
  /** Maximum size of a body in bytes. */
  maxBodyBytes: number;
  report(error: unknown): void;
}

/**
 * Creates the Streams API of Moralis. Its API key manages the streams of a project, so that it needs the master key: in
 * X-API-Key, where clients of Moralis send their key, or in X-Parse-Master-Key. Errors are `{message}`.
 */
export function createStreamsApi(dependencies: StreamsApiDependencies): FastifyPluginAsync {
  const { routes, http, report } = dependencies;

  return async (app) => {
    sendMessageErrors(app, report);
    let description: Promise<ApiReply> | undefined;
    app.get("/streams/openapi.json", { exposeHeadRoute: true, config: { api: "data" } }, (_, reply) => {
      description ??= describe();
      respond(reply, description);
    });
    for (const route of routes) {
      app.route<{ Params: Record<string, string> }>({
        method: route.method,
        url: route.path,
        config: { api: "data" },
        handler: (request, reply) => respond(reply, run(route, request)),
      });
    }
  };

  async function describe(): Promise<ApiReply> {
    const { streamsOpenApi } = await import("./streamsOpenApi.ts");
    const body = JSON.stringify(streamsOpenApi(dependencies.dataUrl));
    return { status: 200, body, headers: { "cache-control": "no-cache" } };
  }

  async function run(
    route: StreamRoute,
    request: FastifyRequest<{ Params: Record<string, string> }>,
  ): Promise<ApiReply> {
    authorize(request.raw, route.method === "GET");
    const params = await withBody(
      request.raw,
      dependencies.maxBodyBytes,
      http.bodyMemory,
      (body) => parametersOf(requestTarget(request).search, body),
      async (all) => all,
    );
    const body = await route.run({ ...params, ...request.params });
    return { status: 200, body: JSON.stringify(body) };
  }

  /** Throws ProtocolError with HTTP 401 or 403. */
  function authorize(message: IncomingMessage, isRead: boolean): void {
    const { "x-parse-master-key": masterKey, "x-api-key": apiKey } = message.headers;
    const key = masterKey ?? apiKey;
    if (typeof key !== "string" || key === "") {
      throw operationForbidden(
        "The Streams API requires the master key in the header X-API-Key or X-Parse-Master-Key.",
        401,
      );
    }
    const auth = http.verifyMasterKey(key, http.clientAddressOf(message));
    if (auth?.kind === "master" && (isRead || !auth.readOnly)) return;
    throw operationForbidden("unauthorized: master key is required", 403);
  }
}

function parametersOf(search: string, body: Buffer): JsonObject {
  const params: JsonObject = {};
  if (search !== "") addQueryParams(params, search);
  return body.length === 0 ? params : { ...params, ...jsonObjectIn(body) };
}
