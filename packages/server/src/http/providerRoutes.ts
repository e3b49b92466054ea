import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { openApi } from "@purse/chain";
import { ErrorCode, isJsonObject, type JsonObject, ProtocolError, parseJson } from "@purse/protocol";
import type { RateLimiter } from "../limits/rateLimiter.ts";
import { tooManyRequests } from "../limits/tooManyRequests.ts";
import { addressKey } from "./address.ts";
import type { ApiReply } from "./api.ts";
import { readBody } from "./body.ts";
import type { ClientAddressOf } from "./clientAddress.ts";

export interface ProviderParts {
  /** As `https://…/api/v2`. */
  dataUrl: string;
  /** What is handed out for the secret; undefined where nobody fetches keys. */
  keyFetch: { secret: string; apiKey: string } | undefined;
  /** Whether apps may tell of their use. */
  isTracking: boolean;
  limiter: RateLimiter;
  clientAddressOf: ClientAddressOf;
  /** Told of each event that an app reports. */
  countEvent(name: string): void;
}

/** The release of the old client that the answers are made for: it does not ask to be updated. */
const CLIENT_VERSION = "1.7.0";

const EVENT_NAME = /^\P{Cc}{1,128}$/u;
const MAX_TRACKING_BYTES = 16 * 1024;
/** Requests of one address in a minute: wrong secrets, and events. */
const MAX_TRIES = 30;
const MAX_EVENTS = 300;

const PATHS = {
  keys: "/api/publics/apiKeys",
  docs: "/api-docs/v2/swagger.json",
  version: "/moralis/package.json",
  tracking: "/api/functions/trackEvent",
} as const;

/**
 * What old clients and their tools ask of the hosted service itself, at the paths that it had there: whoever leads
 * its names to this server finds them. Nothing is asked of, or told to, anybody else.
 */
export function createProviderRoutes(parts: ProviderParts) {
  const { keyFetch, limiter } = parts;
  const addressOf = (message: IncomingMessage) => addressKey(parts.clientAddressOf(message));
  const docs = JSON.stringify(openApi(parts.dataUrl));
  const version = JSON.stringify({
    name: "moralis",
    version: CLIENT_VERSION,
    "dist-tags": { latest: CLIENT_VERSION },
  });

  /** Answers what is at a path; undefined where it is none of these. Rejects with 119, 155, or 107 for no event. */
  return async function answer(message: IncomingMessage, path: string): Promise<ApiReply | undefined> {
    const isRead = message.method === "GET" || message.method === "HEAD";
    if (isRead && path === PATHS.docs) return { status: 200, body: docs };
    if (isRead && path === PATHS.version) return { status: 200, body: version };
    if (isRead && path === PATHS.keys && keyFetch) return fetchKeys(message, keyFetch);
    if (message.method === "POST" && path === PATHS.tracking && parts.isTracking) return track(message);
    return undefined;
  };

  async function fetchKeys(
    message: IncomingMessage,
    { secret, apiKey }: { secret: string; apiKey: string },
  ): Promise<ApiReply> {
    const given = message.headers["moralis-secret"];
    const key = `keyFetch:${addressOf(message)}`;
    const { used, resetsInMs } = await limiter.usage(key, 60_000);
    if (used >= MAX_TRIES) throw tooManyRequests(resetsInMs);
    if (typeof given !== "string" || !isSame(given, secret)) {
      await limiter.count(key, 60_000);
      throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "unauthorized", 403);
    }
    // There are no hosted nodes, and so no key to them.
    return { status: 200, body: JSON.stringify({ result: { web3ApiKey: apiKey, speedyNodeApiKey: "" } }) };
  }

  async function track(message: IncomingMessage): Promise<ApiReply> {
    const { used, resetsInMs } = await limiter.count(`tracking:${addressOf(message)}`, 60_000);
    if (used > MAX_EVENTS) throw tooManyRequests(resetsInMs);
    const { event, subdomain, options } = parse(await readBody(message, MAX_TRACKING_BYTES));
    const isEvent =
      typeof event === "string" &&
      EVENT_NAME.test(event) &&
      (subdomain === undefined || subdomain === null || typeof subdomain === "string") &&
      (options === undefined || options === null || isJsonObject(options));
    if (!isEvent) {
      throw new ProtocolError(
        ErrorCode.INVALID_JSON,
        "An event is { event, subdomain, options }: a name of at most 128 characters, a text and an object",
      );
    }
    parts.countEvent(event);
    return { status: 200, body: '{"result":{}}' };
  }
}

/** Takes the same time whatever was given. */
function isSame(given: string, secret: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

function parse(body: Buffer): JsonObject {
  let value: unknown;
  try {
    value = parseJson(body.toString("utf8"));
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    value = undefined;
  }
  if (isJsonObject(value)) return value;
  throw new ProtocolError(ErrorCode.INVALID_JSON, "the body must be a JSON object");
}
