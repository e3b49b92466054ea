import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { openApi } from "@purse/chain";
import { ErrorCode, isJsonObject, type JsonObject, ProtocolError, parseJson } from "@purse/protocol";
import type { FastifyPluginAsync } from "fastify";
import { addressKey } from "../core/http/address.ts";
import type { ApiReply } from "../core/http/apiRoute.ts";
import { readBody } from "../core/http/body.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import { BROWSER_METHODS } from "../core/http/methods.ts";
import { sendNotFound } from "../core/http/notFound.ts";
import { respond, sendReply } from "../core/http/reply.ts";
import type { RateLimiter } from "../core/limits/rateLimiter.ts";
import { tooManyRequests } from "../core/limits/tooManyRequests.ts";
import { operationForbidden } from "../core/operationForbidden.ts";

export interface ProviderApiDependencies {
  /** As `https://…/api/v2`. */
  dataUrl: string;
  /** The API key that is returned for the secret; undefined to disable it. */
  keyFetch: { secret: string; apiKey: string } | undefined;
  /** Whether usage events of apps are counted. */
  isTracking: boolean;
  limiter: RateLimiter;
  clientAddressOf: ClientAddressOf;
  /** Called for each event that an app reports. */
  countEvent(name: string): void;
}

/** The last versions of the old clients, by the names of their packages: they require no update. */
const CLIENT_VERSIONS = { moralis: "1.7.0", "moralis-v1": "1.13.0" };

const EVENT_NAME = /^\P{Cc}{1,128}$/u;
const MAX_TRACKING_BYTES = 16 * 1024;
/** Requests of one address per minute: with wrong secrets, and of events. */
const MAX_FAILED_ATTEMPTS = 30;
const MAX_EVENTS = 300;

const PATHS = {
  keys: "/api/publics/apiKeys",
  docs: "/api-docs/v2/swagger.json",
  tracking: "/api/functions/trackEvent",
} as const;

/**
 * Creates the endpoints of the hosted service that old clients and their tools use, at their original paths. Point its
 * host names to this server to use them. No request is forwarded to other servers. Below these paths clients expect
 * JSON, never the page of an app.
 */
export function createProviderApi(dependencies: ProviderApiDependencies): FastifyPluginAsync {
  const { keyFetch, limiter, isTracking } = dependencies;
  const addressOf = (message: IncomingMessage) => addressKey(dependencies.clientAddressOf(message));
  let docs: string | undefined;
  const readable = { exposeHeadRoute: true };

  return async (app) => {
    app.get(PATHS.docs, readable, (_, reply) => {
      docs ??= JSON.stringify(openApi(dependencies.dataUrl));
      sendReply(reply, { status: 200, body: docs });
    });
    for (const [name, version] of Object.entries(CLIENT_VERSIONS)) {
      const body = JSON.stringify({ name, version, "dist-tags": { latest: version } });
      app.get(`/${name}/package.json`, readable, (_, reply) => void sendReply(reply, { status: 200, body }));
    }
    if (keyFetch) app.get(PATHS.keys, readable, ({ raw }, reply) => respond(reply, fetchKeys(raw, keyFetch)));
    if (isTracking) app.post(PATHS.tracking, ({ raw }, reply) => respond(reply, track(raw)));
    for (const prefix of ["/api/", "/api-docs/", ...Object.keys(CLIENT_VERSIONS).map((name) => `/${name}/`)])
      app.route({ method: BROWSER_METHODS, url: `${prefix}*`, handler: sendNotFound });
  };

  async function fetchKeys(
    message: IncomingMessage,
    { secret, apiKey }: { secret: string; apiKey: string },
  ): Promise<ApiReply> {
    const sentSecret = message.headers["moralis-secret"];
    const key = `keyFetch:${addressOf(message)}`;
    const { used, resetsInMs } = await limiter.usage(key, 60_000);
    if (used >= MAX_FAILED_ATTEMPTS) throw tooManyRequests(resetsInMs);
    if (typeof sentSecret !== "string" || !secretsMatch(sentSecret, secret)) {
      await limiter.count(key, 60_000);
      throw operationForbidden("unauthorized", 403);
    }
    // There are no hosted nodes, so there is no key for them.
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
    dependencies.countEvent(event);
    return { status: 200, body: '{"result":{}}' };
  }
}

/** Compares in constant time. */
function secretsMatch(sentSecret: string, secret: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(sentSecret), digest(secret));
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
