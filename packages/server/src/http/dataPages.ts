import { endpointsPage, openApi } from "@purse/chain";
import type { ApiReply } from "./api.ts";

/**
 * The data service's description of itself, for programs and for people; open to all, as it tells nothing of
 * this server but its address. `dataUrl` as `https://…/api/v2`.
 */
export function createDataPages(dataUrl: string) {
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

  /** `path` is below the data service's. Undefined where it is none of these pages. */
  return function pageAt(method: string | undefined, path: string): ApiReply | undefined {
    return method === "GET" || method === "HEAD" ? pages.get(path) : undefined;
  };
}
