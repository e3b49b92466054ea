import { sendRequest } from "@purse/outbound";
import type { CallGateway } from "./gateways.ts";

/** Time limit in ms, and maximum size of a response in bytes. */
const DEADLINE_MS = 5_000;
const MAX_BYTES = 64 * 1024;

/**
 * Creates a client of name gateways (CCIP read, EIP-3668) with allowed origins; `*` allows all public ones. Origins
 * that are listed may have private addresses. Returns undefined if none is allowed.
 */
export function createGatewayClient(allowed: readonly string[]): CallGateway | undefined {
  if (allowed.length === 0) return undefined;
  return async (url, body) => {
    const { origin } = new URL(url);
    const isListed = allowed.includes(origin);
    if (!isListed && !allowed.includes("*")) throw new Error("the gateway is not allowed");
    return sendRequest({
      url,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body,
      deadlineMs: DEADLINE_MS,
      maxBytes: MAX_BYTES,
      allowPrivate: isListed,
    });
  };
}
