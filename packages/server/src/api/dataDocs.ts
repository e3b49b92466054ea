import { openApi } from "@purse/chain";
import type { FastifyPluginAsync } from "fastify";
import { sendReply } from "../core/http/reply.ts";

/** The page of the data API in the documentation. */
const REFERENCE = "/docs/reference/data-endpoints";

/**
 * Creates the OpenAPI description of the data API, and leads to its page in the documentation. It is public, because it
 * reveals nothing about this server but its address. It is made when it is requested first, as describing all endpoints
 * takes a part of the start. `dataUrl` as `https://…/api/v2`.
 */
export function createDataDocs(dataUrl: string): FastifyPluginAsync {
  let description: string | undefined;
  const options = { exposeHeadRoute: true, config: { api: "data" as const } };

  return async (app) => {
    app.get("/openapi.json", options, (_, reply) => {
      description ??= JSON.stringify(openApi(dataUrl));
      sendReply(reply, { status: 200, body: description, headers: { "cache-control": "no-cache" } });
    });
    app.get("/docs", options, (_, reply) => reply.redirect(REFERENCE, 302));
  };
}
