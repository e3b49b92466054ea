import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { RateLimiter } from "../../core/limits/rateLimiter.ts";
import { type Requests, route, type StudioRoute } from "../../studio/route.ts";
import { apiKeyEndpoints as endpoints, type StudioApiKey } from "../../studioApi/apiKeys.ts";
import type { ApiKey, ApiKeys } from "./apiKeys.ts";
import type { KeyUsage } from "./keyUsage.ts";

type KeyRequests = Requests<typeof endpoints>;

export interface ApiKeyAdminDependencies {
  apiKeys: ApiKeys;
  keyUsage: Pick<KeyUsage, "hours">;
  limiter: Pick<RateLimiter, "usage">;
}

const MINUTE_MS = 60_000;

/** Routes of the admin API for API keys of the data API. */
export function apiKeyAdminRoutes({ apiKeys, keyUsage, limiter }: ApiKeyAdminDependencies): StudioRoute[] {
  return [
    route(endpoints.keys, keys),
    route(endpoints.keyUsage, async () => ({ results: await keyUsage.hours() })),
    route(endpoints.addKey, addKey),
    route(endpoints.revokeKey, revokeKey),
  ];

  /** Lists API keys with their usage in the current minute, in this process. */
  async function keys() {
    const all = await apiKeys.list();
    const results = await Promise.all(
      all.map(async (key) => ({
        ...toStudioApiKey(key),
        usedThisMinute: (await limiter.usage(`key:${key.id}`, MINUTE_MS)).used,
      })),
    );
    return { results };
  }

  /** The key itself is only returned here. */
  async function addKey(request: KeyRequests["addKey"]) {
    const { name, limit } = request.params;
    const { key, id } = await withValidationErrors(() =>
      apiKeys.create({ name, limit: limit === 0 ? undefined : limit }),
    );
    request.setAuditDetails({ target: id, after: { name: name ?? null, limit } });
    return { id, key };
  }

  async function revokeKey(request: KeyRequests["revokeKey"]) {
    const key = await withValidationErrors(() => apiKeys.revoke(request.pathParams.id));
    request.setAuditDetails({ before: { name: key.name ?? null } });
    return toStudioApiKey(key);
  }
}

function toStudioApiKey({ id, name, limit, createdAt, lastUsedAt, revokedAt }: ApiKey): StudioApiKey {
  return {
    id,
    ...(name !== undefined && { name }),
    ...(limit !== undefined && { limit }),
    createdAt: createdAt.toISOString(),
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
    ...(revokedAt && { revokedAt: revokedAt.toISOString() }),
  };
}

/** Converts plain errors of API keys to validation errors. */
async function withValidationErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && error.constructor === Error) {
      throw new ProtocolError(ErrorCode.VALIDATION_ERROR, error.message);
    }
    throw error;
  }
}
