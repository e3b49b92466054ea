import { endpointsPage, openApi } from "@purse/chain";
import type { ApiReply } from "../core/http/apiRoute.ts";

/**
 * Serves the OpenAPI description and the documentation page of the data API. Both are public, because they reveal
 * nothing about this server but its address. `dataUrl` as `https://…/api/v2`.
 */
export function createDataDocs(dataUrl: string) {
  const { html, policy } = endpointsPage(dataUrl);
  const pages = new Map<string, ApiReply>([
    [
      "/openapi.json",
      { status: 200, body: JSON.stringify(openApi(dataUrl)), headers: { "cache-control": "no-cache" } },
    ],
    [
      "/docs",
      {
        status: 200,
        body: html,
        headers: {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": policy,
          "referrer-policy": "no-referrer",
          "cache-control": "no-cache",
        },
      },
    ],
  ]);

  /** `path` is below the path of the data API. Returns undefined for other pages. */
  return function docsAt(method: string | undefined, path: string): ApiReply | undefined {
    return method === "GET" || method === "HEAD" ? pages.get(path) : undefined;
  };
}
