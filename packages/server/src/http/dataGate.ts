import type { IncomingHttpHeaders } from "node:http";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { ApiKeys } from "../apiKeys/apiKeys.ts";
import type { AuthContext } from "../authContext.ts";
import type { RateLimiter, Usage } from "../limits/rateLimiter.ts";
import { tooManyRequests } from "../limits/tooManyRequests.ts";
import { addressKey, isLoopback } from "./address.ts";
import type { JudgeKey } from "./masterKey.ts";

export interface DataGateParts {
  apiKeys: ApiKeys;
  /** Told of each request with a good key, by the key's id. */
  countUse(keyId: string): void;
  judgeKey: JudgeKey;
  limiter: RateLimiter;
  /** Whether nobody gets in without a key. */
  requireApiKey: boolean;
  /** Where things are tried: unknown keys pass until the first is made, and the machine itself is not limited. */
  isDevelopment: boolean;
  /** Requests in a minute: of a key that has no limit of its own, and of an address that sends no key. */
  limits: { apiKey: number; address: number };
  /** Whether a site (its host, with a port that is not the usual one) belongs to the operator. */
  isOwnSite(host: string): boolean;
}

/** A request to the data service, whichever way it came. */
export interface DataClient {
  /** The client's address. */
  ip: string;
  headers: IncomingHttpHeaders | Readonly<Record<string, string>>;
  /** The Parse protocol's address as the client knows it. */
  serverUrl: string;
  /** Who it is, where the Parse protocol knows them. */
  auth?: AuthContext;
  /** Whether cloud code or the server itself sent it: then it needs no key and is not counted. */
  isInternal?: boolean | undefined;
  /**
   * Whether pages of the operator's own sites and signed-in users need no key: for pictures, because `<img>` sends no
   * headers, and for functions, because old clients send no key with them.
   */
  isFromPage?: boolean;
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

/** Authorizes and counts one request to the data service. */
export type AuthorizeDataRequest = (client: DataClient) => Promise<Admission>;

/**
 * Authorizes and counts requests to the data service. Every way to it passes here: `/api/v2`, pictures, and cloud
 * functions, also as parts of a batch. It needs headers only, so it runs before a body is read.
 */
export function createDataGate(parts: DataGateParts): AuthorizeDataRequest {
  const { apiKeys, judgeKey, limiter, limits } = parts;

  return async function admit(client) {
    if (client.isInternal) return { headers: {} };
    const { ip, auth } = client;
    const address = `address:${addressKey(ip)}`;
    const masterKey = header(client, "x-parse-master-key");
    if (auth?.kind === "master" || (masterKey !== undefined && judgeKey(masterKey, ip))) {
      const usage = await limiter.usage(address, WINDOW_MS);
      return { headers: usageHeaders(limits.address, usage, usage) };
    }
    const text = header(client, "x-api-key");
    const key = text === undefined ? undefined : await apiKeys.authenticate(text);
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
      await withoutKey(client, masterKey !== undefined, text !== undefined),
    );
  };

  /** Why a request whose key is not good, or that has none, is refused; undefined where it is not. */
  async function withoutKey(
    client: DataClient,
    sentMasterKey: boolean,
    sentKey: boolean,
  ): Promise<ProtocolError | undefined> {
    if (sentMasterKey) return new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "unauthorized", 403);
    if (sentKey && (!parts.isDevelopment || (await apiKeys.hasKeys())))
      return new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, INVALID_KEY, 401);
    if (!parts.requireApiKey || (client.isFromPage && !sentKey && isKnown(client))) return undefined;
    return new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, MISSING_KEY, 401);
  }

  /** Browsers set Origin and Sec-Fetch-Site themselves. Other programs can forge them, and are limited by address. */
  function isKnown({ auth, headers, serverUrl }: DataClient): boolean {
    if (auth?.kind === "user" || headers["sec-fetch-site"] === "same-origin") return true;
    const { origin } = headers;
    if (origin === undefined || !URL.canParse(origin)) return false;
    const { host } = new URL(origin);
    return host !== "" && (host === new URL(serverUrl).host || parts.isOwnSite(host));
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

function header({ headers }: DataClient, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
