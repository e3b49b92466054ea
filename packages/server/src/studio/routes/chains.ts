import { type ChainService, chainPresetOf } from "@purse/chain";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { ApiKey, ApiKeys } from "../../apiKeys/apiKeys.ts";
import type { KeyUsage } from "../../apiKeys/keyUsage.ts";
import type { RateLimiter } from "../../core/limits/rateLimiter.ts";
import { chainEndpoints as endpoints, type StudioApiKey } from "../../studioApi/chains.ts";
import { type Requests, route, type StudioRoute } from "../route.ts";
import { listNewest } from "./newestRows.ts";
import type { RouteDependencies } from "./routeContext.ts";

type ChainRequests = Requests<typeof endpoints>;

export interface ChainDependencies extends RouteDependencies {
  chain: Pick<ChainService, "status" | "watch" | "watchedWallets">;
  apiKeys: ApiKeys;
  keyUsage: KeyUsage;
  limiter: RateLimiter;
}

const MINUTE_MS = 60_000;
const MAX_ADDRESSES = 500;

/** Routes for chains and their index status, watches, and API keys of the data API. */
export function chainRoutes(dependencies: ChainDependencies): StudioRoute[] {
  const { chain, apiKeys, limiter, objects } = dependencies;
  return [
    route(endpoints.chains, async () => ({
      results: chain.status().map((status) => ({
        ...status,
        title: chainPresetOf(status.chain)?.title ?? status.name,
      })),
    })),
    route(endpoints.addresses, addresses),
    route(endpoints.addAddress, addAddress),
    route(endpoints.watches, (request) => listNewest(dependencies, request, "_ChainWatch", {})),
    route(endpoints.addWatch, addWatch),
    route(endpoints.changeWatch, changeWatch),
    route(endpoints.removeWatch, removeWatch),
    route(endpoints.keys, keys),
    route(endpoints.keyUsage, async () => ({ results: await dependencies.keyUsage.hours() })),
    route(endpoints.addKey, addKey),
    route(endpoints.revokeKey, revokeKey),
  ];

  /** Lists the wallets of an index; those that are still being indexed come first. */
  async function addresses({ pathParams }: ChainRequests["addresses"]) {
    return chain.watchedWallets(requireIndexedChain(pathParams.chainId), MAX_ADDRESSES);
  }

  async function addAddress(request: ChainRequests["addAddress"]) {
    const chainId = requireIndexedChain(request.pathParams.chainId);
    const { address } = request.params;
    request.setAuditDetails({ target: `${chainId} ${address}` });
    chain.watch(chainId, [address.toLowerCase()]);
    return { address: address.toLowerCase() };
  }

  /** Throws 142 if the chain is not indexed, or its index covers all addresses. */
  function requireIndexedChain(chainId: string): number {
    const known = chain.status().find((each) => String(each.chain) === chainId);
    if (known?.scope === "wallets") return known.chain;
    throw new ProtocolError(
      ErrorCode.VALIDATION_ERROR,
      known ? "The index of this chain covers all addresses." : "This chain is not indexed.",
    );
  }

  async function addWatch(request: ChainRequests["addWatch"]) {
    const { fields } = request.params;
    request.setAuditDetails({ after: fields });
    const { body } = await objects.create(request.context, "_ChainWatch", fields);
    return body;
  }

  async function changeWatch(request: ChainRequests["changeWatch"]) {
    const { fields } = request.params;
    request.setAuditDetails({ before: await getWatch(request), after: fields });
    const { body } = await objects.update(
      request.context,
      "_ChainWatch",
      request.pathParams.objectId,
      fields,
    );
    return body;
  }

  async function removeWatch(request: ChainRequests["removeWatch"]) {
    request.setAuditDetails({ before: await getWatch(request) });
    await objects.remove(request.context, "_ChainWatch", request.pathParams.objectId);
    return {};
  }

  async function getWatch({
    context,
    pathParams,
  }: ChainRequests["removeWatch" | "changeWatch"]): Promise<JsonObject> {
    return JSON.parse(await objects.get(context, "_ChainWatch", pathParams.objectId, {}));
  }

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
  async function addKey(request: ChainRequests["addKey"]) {
    const { name, limit } = request.params;
    const { key, id } = await withValidationErrors(() =>
      apiKeys.create({ name, limit: limit === 0 ? undefined : limit }),
    );
    request.setAuditDetails({ target: id, after: { name: name ?? null, limit } });
    return { id, key };
  }

  async function revokeKey(request: ChainRequests["revokeKey"]) {
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
