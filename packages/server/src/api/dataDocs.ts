import { openApi } from "@purse/chain";
import type { FastifyPluginAsync } from "fastify";
import { createReferencePage } from "../core/http/referencePage.ts";
import { sendReply } from "../core/http/reply.ts";

/**
 * Creates the OpenAPI description and the reference page of the data API. Both are public, because they reveal
 * nothing about this server but its address. `dataUrl` as `https://…/api/v2`.
 */
export function createDataDocs(dataUrl: string): FastifyPluginAsync {
  const document = openApi(dataUrl);
  const { html, policy } = createReferencePage(document);
  const description = JSON.stringify(document);
  const options = { exposeHeadRoute: true, config: { api: "data" as const } };

  return async (app) => {
    app.get("/openapi.json", options, (_, reply) => {
      sendReply(reply, { status: 200, body: description, headers: { "cache-control": "no-cache" } });
    });
    app.get("/docs", options, (_, reply) => {
      sendReply(reply, {
        status: 200,
        body: html,
        headers: {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": policy,
          "referrer-policy": "no-referrer",
          "cache-control": "no-cache",
        },
      });
    });
  };
}
