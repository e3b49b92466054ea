import { openApi } from "@purse/chain";
import type { FastifyPluginAsync } from "fastify";
import { referencePageReply } from "../core/http/referencePage.ts";
import { sendReply } from "../core/http/reply.ts";

/**
 * Creates the OpenAPI description and the reference page of the data API. Both are public, because they reveal
 * nothing about this server but its address. `dataUrl` as `https://…/api/v2`.
 */
export function createDataDocs(dataUrl: string): FastifyPluginAsync {
  const document = openApi(dataUrl);
  const page = referencePageReply(document);
  const description = JSON.stringify(document);
  const options = { exposeHeadRoute: true, config: { api: "data" as const } };

  return async (app) => {
    app.get("/openapi.json", options, (_, reply) => {
      sendReply(reply, { status: 200, body: description, headers: { "cache-control": "no-cache" } });
    });
    app.get("/docs", options, (_, reply) => {
      sendReply(reply, page);
    });
  };
}
