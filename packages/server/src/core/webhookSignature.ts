import { createHmac } from "node:crypto";

/**
 * Returns headers that authenticate a webhook request: the key, and a signature of time and body. The time is signed to
 * prevent replay attacks. `now` in ms since the epoch.
 */
export function signedHeaders(key: string | undefined, body: string, now: number): Record<string, string> {
  const headers = { "content-type": "application/json" };
  if (key === undefined) return headers;
  const timestamp = String(Math.floor(now / 1000));
  const signature = createHmac("sha256", key).update(`${timestamp}.${body}`).digest("hex");
  return {
    ...headers,
    "x-parse-webhook-key": key,
    "x-purse-signature": `t=${timestamp},v1=${signature}`,
  };
}
