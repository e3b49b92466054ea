import type { ProtocolError } from "@purse/protocol";
import type { AuthenticateDataRequest, DataApiRequest } from "../../core/http/dataRequest.ts";
import type { VerifyMasterKey } from "../../core/http/masterKey.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import { PROGRAM } from "../../core/programName.ts";
import type { ApiKeys } from "./apiKeys.ts";
import type { DataApiLimits } from "./dataApiLimits.ts";

export interface DataRequestAuthenticationDependencies {
  apiKeys: ApiKeys;
  /** Called with the key's id for each request with a valid key. */
  recordUse(keyId: string): void;
  verifyMasterKey: VerifyMasterKey;
  limits: DataApiLimits;
  /** Whether an API key is required. */
  requireApiKey: boolean;
  /** In development unknown keys are accepted until the first one is issued, and localhost is not rate limited. */
  isDevelopment: boolean;
  /** Whether a site (its host, with a non-default port) belongs to the operator. */
  isOwnSite(host: string): boolean;
}

const INVALID_KEY = "Invalid API key";
const MISSING_KEY = `The data API requires an API key in the header X-API-Key. The operator of this server creates one with \`${PROGRAM} keys add\`.`;

/**
 * Every request to the data API is authenticated here: `/api/v2`, images and cloud functions, including those in a
 * batch. It needs headers only, so it runs before a body is read.
 */
export function createDataRequestAuthentication(
  dependencies: DataRequestAuthenticationDependencies,
): AuthenticateDataRequest {
  const { apiKeys, verifyMasterKey, limits } = dependencies;

  return async function authenticate(request) {
    if (request.isInternal) return { headers: {} };
    const { ip, auth } = request;
    const masterKey = header(request, "x-parse-master-key");
    if (auth?.kind === "master" || (masterKey !== undefined && verifyMasterKey(masterKey, ip)))
      return limits.read(ip);
    const apiKeyText = header(request, "x-api-key");
    const key = apiKeyText === undefined ? undefined : await apiKeys.authenticate(apiKeyText);
    if (key) {
      dependencies.recordUse(key.id);
      return limits.countKey(key, ip);
    }
    const result = await limits.countAddress(ip);
    const error =
      result.error ?? (await missingKeyError(request, masterKey !== undefined, apiKeyText !== undefined));
    return error ? { ...result, error } : result;
  };

  /** The error for a request with an invalid key or without one; undefined if it is accepted. */
  async function missingKeyError(
    request: DataApiRequest,
    hasMasterKey: boolean,
    hasApiKey: boolean,
  ): Promise<ProtocolError | undefined> {
    if (hasMasterKey) return operationForbidden("unauthorized", 403);
    if (hasApiKey && (!dependencies.isDevelopment || (await apiKeys.hasKeys())))
      return operationForbidden(INVALID_KEY, 401);
    if (!dependencies.requireApiKey || (request.allowsWithoutKey && !hasApiKey && isKnownClient(request)))
      return undefined;
    return operationForbidden(MISSING_KEY, 401);
  }

  /**
   * Browsers set Origin and Sec-Fetch-Site themselves. Other programs can forge them, but are rate limited by address.
   */
  function isKnownClient({ auth, headers, serverUrl }: DataApiRequest): boolean {
    if (auth?.kind === "user" || headers["sec-fetch-site"] === "same-origin") return true;
    const { origin } = headers;
    if (origin === undefined || !URL.canParse(origin)) return false;
    const { host } = new URL(origin);
    return host !== "" && (host === new URL(serverUrl).host || dependencies.isOwnSite(host));
  }
}

function header({ headers }: DataApiRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
