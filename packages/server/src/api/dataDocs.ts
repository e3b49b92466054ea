import { openApi } from "@purse/chain";
import type { FastifyPluginAsync } from "fastify";
import type { ApiReply } from "../core/http/apiRoute.ts";
import { respond, sendReply } from "../core/http/reply.ts";

/**
 * Creates the OpenAPI description and the reference page of the data API. Both are public, because they reveal
 * nothing about this server but its address. They are made when they are requested first, as describing all endpoints
 * takes a part of the start. `dataUrl` as `https://…/api/v2`.
 */
export function createDataDocs(dataUrl: string): FastifyPluginAsync {
  let description: string | undefined;
  let page: Promise<ApiReply> | undefined;
  const options = { exposeHeadRoute: true, config: { api: "data" as const } };

  return async (app) => {
    app.get("/openapi.json", options, (_, reply) => {
      description ??= JSON.stringify(openApi(dataUrl));
      sendReply(reply, { status: 200, body: description, headers: { "cache-control": "no-cache" } });
    });
    app.get("/docs", options, (_, reply) => {
      page ??= import("../core/http/referencePage.ts").then(({ referencePageReply }) =>
        referencePageReply(openApi(dataUrl), { isInteractive: true }),
      );
      respond(reply, page);
    });
  };
}
