import type { IncomingMessage } from "node:http";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ApiKeys } from "../apiKeys/apiKeys.ts";
import type { RateLimiter, Usage } from "../limits/rateLimiter.ts";
import { tooManyRequests } from "../limits/tooManyRequests.ts";
import { addressKey, isLoopback } from "./address.ts";
import type { ClientAddressOf } from "./clientAddress.ts";
import type { JudgeKey } from "./masterKey.ts";

export interface DataGateParts {
  apiKeys: ApiKeys;
  /** Told of each request with a good key, by the key's id. */
  countUse(keyId: string): void;
  judgeKey: JudgeKey;
  clientAddressOf: ClientAddressOf;
  limiter: RateLimiter;
  /** Whether nobody gets in without a key. */
  requireApiKey: boolean;
  /** Where things are tried: unknown keys pass until the first is made, and the machine itself is not limited. */
  isDevelopment: boolean;
  /** Requests in a minute: of a key that has no limit of its own, and of an address that sends no key. */
  limits: { apiKey: number; address: number };
  /** Lets pages of this server in without a key, who cannot send one: for what `<img>` asks for. */
  forOwnPages?: boolean;
}

/** What a request has used, for the headers of its answer, and why it is refused where it is. */
export interface Admission {
  headers: Record<string, string>;
  refusal?: ProtocolError;
}

const WINDOW_MS = 60_000;
const INVALID_KEY = "Invalid API key";
const MISSING_KEY =
  "The data service needs an API key in the header X-API-Key. The operator of this server makes one by `npm run purse -- keys add`.";

/** Who may use the data service, and how often. Looks at headers only: nothing of a body has been read by then. */
export function createDataGate(parts: DataGateParts): (message: IncomingMessage) => Promise<Admission> {
  const { apiKeys, judgeKey, limiter, limits } = parts;

  return async function admit(message) {
    const ip = parts.clientAddressOf(message);
    const address = `address:${addressKey(ip)}`;
    const masterKey = header(message, "x-parse-master-key");
    if (masterKey !== undefined && judgeKey(masterKey, ip)) {
      const usage = await limiter.usage(address, WINDOW_MS);
      return { headers: usageHeaders(limits.address, usage, usage) };
    }
    const text = header(message, "x-api-key");
    const key = text === undefined ? undefined : await apiKeys.find(text);
    if (key) {
      parts.countUse(key.id);
      const [usage, ofAddress] = await Promise.all([
        limiter.count(`key:${key.id}`, WINDOW_MS),
        limiter.usage(address, WINDOW_MS),
      ]);
      return admission(key.limit ?? limits.apiKey, usage, ofAddress, undefined);
    }
    const usage = await limiter.count(address, WINDOW_MS);
    const limit = parts.isDevelopment && isLoopback(ip) ? Number.POSITIVE_INFINITY : limits.address;
    return admission(
      limit,
      usage,
      usage,
      await withoutKey(message, masterKey !== undefined, text !== undefined),
    );
  };

  /** Why a request whose key is not good, or that has none, is refused; undefined where it is not. */
  async function withoutKey(
    message: IncomingMessage,
    sentMasterKey: boolean,
    sentKey: boolean,
  ): Promise<ProtocolError | undefined> {
    if (sentMasterKey) return new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "unauthorized", 403);
    if (sentKey && (!parts.isDevelopment || (await apiKeys.anyIssued())))
      return new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, INVALID_KEY, 401);
    const isOwnPage =
      parts.forOwnPages === true && !sentKey && message.headers["sec-fetch-site"] === "same-origin";
    if (parts.requireApiKey && !isOwnPage)
      return new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, MISSING_KEY, 401);
    return undefined;
  }

  function admission(
    limit: number,
    usage: Usage,
    ofAddress: Usage,
    refusal: ProtocolError | undefined,
  ): Admission {
    const headers = usageHeaders(Number.isFinite(limit) ? limit : limits.address, usage, ofAddress);
    const reason =
      usage.used > limit
        ? tooManyRequests(
            usage.resetsInMs,
            `Too many requests: ${limit} in a minute are allowed. Try again in ${seconds(usage.resetsInMs)} s.`,
          )
        : refusal;
    return reason ? { headers, refusal: reason } : { headers };
  }
}

function usageHeaders(limit: number, usage: Usage, ofAddress: Usage): Record<string, string> {
  return {
    "x-rate-limit-limit": String(limit),
    "x-rate-limit-remaining-ttl": seconds(usage.resetsInMs),
    "x-rate-limit-used": String(usage.used),
    "x-rate-limit-remaining-ip-ttl": seconds(ofAddress.resetsInMs),
    "x-rate-limit-ip-used": String(ofAddress.used),
  };
}

function seconds(ms: number): string {
  return String(Math.ceil(ms / 1000));
}

function header(message: IncomingMessage, name: string): string | undefined {
  const value = message.headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
