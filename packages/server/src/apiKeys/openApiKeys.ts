import type { Lifecycle } from "@purse/kernel";
import type { Config } from "../config/loadConfig.ts";
import type { VerifyMasterKey } from "../core/http/masterKey.ts";
import type { RateLimiter } from "../core/limits/rateLimiter.ts";
import type { Schemas } from "../data/schema/schemas.ts";
import type { Store } from "../database/store.ts";
import { ApiKeys } from "./apiKeys.ts";
import { type AuthenticateDataRequest, createDataRequestAuthentication } from "./authenticateDataRequest.ts";
import { createDataApiLimits } from "./dataApiLimits.ts";
import { type KeyUsage, openKeyUsage } from "./keyUsage.ts";

export interface OpenApiKeysDependencies {
  config: Config;
  store: Store;
  schemas: Schemas;
  limiter: RateLimiter;
  verifyMasterKey: VerifyMasterKey;
  /** Whether a site (its host, with a non-default port) belongs to the operator. */
  isOwnSite(host: string): boolean;
  lifecycle: Lifecycle;
  report(error: unknown, activity: string): void;
}

export interface OpenApiKeys {
  apiKeys: ApiKeys;
  keyUsage: KeyUsage;
  /** Authenticates a request to the data API and counts it toward the limits of its API key or its address. */
  authenticate: AuthenticateDataRequest;
}

/** Opens the API keys of the data API with their hourly usage. */
export async function openApiKeys(dependencies: OpenApiKeysDependencies): Promise<OpenApiKeys> {
  const { config, store, schemas, lifecycle, report } = dependencies;
  const apiKeys = new ApiKeys({
    store,
    schemaOf: () => schemas.require("_ApiKey"),
    clock: store.now,
    onError: (error) => report(error, "recording the use of an API key"),
  });
  lifecycle.onStop("API keys", () => apiKeys.close());
  const keyUsage = await openKeyUsage(store, store.now, (error) =>
    report(error, "counting the use of API keys"),
  );
  lifecycle.onStop("use of API keys", () => keyUsage.stop());
  const isDevelopment = config.environment === "development";
  const authenticate = createDataRequestAuthentication({
    apiKeys,
    recordUse: (keyId) => keyUsage.count(keyId),
    verifyMasterKey: dependencies.verifyMasterKey,
    limits: createDataApiLimits({
      limiter: dependencies.limiter,
      limits: { apiKey: config.apiKeyLimit, address: config.addressLimit },
      isDevelopment,
    }),
    requireApiKey: config.requireApiKey,
    isDevelopment,
    isOwnSite: dependencies.isOwnSite,
  });
  return { apiKeys, keyUsage, authenticate };
}
