import type { IncomingHttpHeaders } from "node:http";

const JAVASCRIPT_KEY_PREFIX = "javascript-key=";

/**
 * Translates HTTP Basic credentials into the headers of the Parse protocol, so that all that follows treats both alike:
 * `appId:masterKey`, `appId:javascript-key=…`, or `appId:` alone. Those of other applications are left as they are.
 *
 * Browsers repeat Basic credentials of an address on their own, also for requests of other sites. A master key in such a
 * request proves nothing: it is dropped.
 */
export function applyBasicCredentials(headers: IncomingHttpHeaders, appId: string): void {
  const encoded = /^basic +(\S+)\s*$/i.exec(headers.authorization ?? "")?.[1];
  if (encoded === undefined) return;
  const [sentAppId, key, ...rest] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  if (sentAppId !== appId || key === undefined || rest.length > 0) return;
  // Cloud code sees the headers, but no credentials of operators.
  delete headers.authorization;
  headers["x-parse-application-id"] = appId;
  if (key.startsWith(JAVASCRIPT_KEY_PREFIX)) {
    headers["x-parse-javascript-key"] = key.slice(JAVASCRIPT_KEY_PREFIX.length);
  } else if (key !== "" && !isFromOtherSite(headers)) headers["x-parse-master-key"] = key;
}

/** Programs other than browsers do not send the header. */
function isFromOtherSite(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}
