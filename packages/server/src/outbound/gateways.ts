import { post } from "./post.ts";

/** Whole exchanges, in ms, and the longest answer that is read. */
const DEADLINE_MS = 5_000;
const MAX_BYTES = 64 * 1024;

/**
 * The way to ask gateways for names that are resolved outside of chains (EIP-3668): those whose origins are allowed, `*`
 * for all public ones. One that is named may be inside of networks. undefined where none is allowed.
 */
export function gatewayAsker(allowed: readonly string[]) {
  if (allowed.length === 0) return undefined;
  return async (url: string, body: string | undefined): Promise<{ status: number; body: string }> => {
    const { origin } = new URL(url);
    const isNamed = allowed.includes(origin);
    if (!isNamed && !allowed.includes("*")) throw new Error("the gateway is not allowed");
    return post({
      url,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body,
      deadlineMs: DEADLINE_MS,
      maxBytes: MAX_BYTES,
      allowPrivate: isNamed,
    });
  };
}
