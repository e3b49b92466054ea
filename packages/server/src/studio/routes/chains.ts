import type { ChainService } from "@purse/chain";
import { ErrorCode, type JsonObject, ProtocolError, type StudioApiKey } from "@purse/protocol";
import type { ApiKey, ApiKeys } from "../../apiKeys/apiKeys.ts";
import type { KeyUsage } from "../../apiKeys/keyUsage.ts";
import type { RateLimiter } from "../../core/limits/rateLimiter.ts";
import {
  integerParameter,
  invalidParameter,
  objectParameter,
  optionalStringParameter,
  stringParameter,
} from "../parameters.ts";
import { json, type StudioRequest, type StudioRoute } from "../route.ts";
import { listNewest, type RouteDependencies } from "./routeHelpers.ts";

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
    {
      method: "GET",
      path: "/chains",
      needs: "readOnly",
      handle: async () => json({ results: chain.status() }),
    },
    { method: "GET", path: "/chains/:chainId/addresses", needs: "readOnly", handle: addresses },
    { method: "POST", path: "/chains/:chainId/addresses", needs: "editor", handle: addAddress },
    { method: "GET", path: "/watches", needs: "readOnly", handle: (request) => watches(request) },
    { method: "POST", path: "/watches", needs: "editor", handle: addWatch },
    { method: "PUT", path: "/watches/:objectId", needs: "editor", handle: changeWatch },
    { method: "DELETE", path: "/watches/:objectId", needs: "editor", handle: removeWatch },
    { method: "GET", path: "/keys", needs: "readOnly", handle: keys },
    {
      method: "GET",
      path: "/keys/usage",
      needs: "readOnly",
      handle: async () => json({ results: await dependencies.keyUsage.hours() }),
    },
    { method: "POST", path: "/keys", needs: "owner", handle: addKey },
    { method: "DELETE", path: "/keys/:id", needs: "owner", handle: revokeKey },
  ];

  /** Lists the wallets of an index; those that are still being indexed come first. */
  async function addresses(request: StudioRequest) {
    return json(await chain.watchedWallets(requireIndexedChain(request), MAX_ADDRESSES));
  }

  async function addAddress(request: StudioRequest) {
    const chainId = requireIndexedChain(request);
    const address = stringParameter(request.params, "address", 100);
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw invalidParameter("address must be an address");
    request.setAuditDetails({ target: `${chainId} ${address}` });
    chain.watch(chainId, [address.toLowerCase()]);
    return json({ address: address.toLowerCase() }, 201);
  }

  /** Throws 142 if the chain is not indexed, or its index covers all addresses. */
  function requireIndexedChain({ pathParams }: StudioRequest): number {
    const known = chain.status().find((each) => String(each.chain) === pathParams.chainId);
    if (known?.scope === "wallets") return known.chain;
    throw new ProtocolError(
      ErrorCode.VALIDATION_ERROR,
      known ? "The index of this chain covers all addresses." : "This chain is not indexed.",
    );
  }

  async function watches(request: StudioRequest) {
    return json(await listNewest(dependencies, request, "_ChainWatch", {}));
  }

  async function addWatch(request: StudioRequest) {
    const fields = objectParameter(request.params, "fields");
    request.setAuditDetails({ after: fields });
    const { body } = await objects.create(request.context, "_ChainWatch", fields);
    return json(body, 201);
  }

  async function changeWatch(request: StudioRequest) {
    const fields = objectParameter(request.params, "fields");
    request.setAuditDetails({ before: await getWatch(request), after: fields });
    const { body } = await objects.update(
      request.context,
      "_ChainWatch",
      request.pathParams.objectId ?? "",
      fields,
    );
    return json(body);
  }

  async function removeWatch(request: StudioRequest) {
    request.setAuditDetails({ before: await getWatch(request) });
    await objects.remove(request.context, "_ChainWatch", request.pathParams.objectId ?? "");
    return {};
  }

  async function getWatch({ context, pathParams }: StudioRequest): Promise<JsonObject> {
    return JSON.parse(await objects.get(context, "_ChainWatch", pathParams.objectId ?? "", {}));
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
    return json({ results });
  }

  /** The key itself is only returned here. */
  async function addKey(request: StudioRequest) {
    const name = optionalStringParameter(request.params, "name", 100);
    const limit = integerParameter(request.params, "limit", 0, 1_000_000_000);
    const { key, id } = await withValidationErrors(() =>
      apiKeys.create({ name, limit: limit === 0 ? undefined : limit }),
    );
    request.setAuditDetails({ target: id, after: { name: name ?? null, limit } });
    return json({ id, key }, 201);
  }

  async function revokeKey(request: StudioRequest) {
    const key = await withValidationErrors(() => apiKeys.revoke(request.pathParams.id ?? ""));
    request.setAuditDetails({ before: { name: key.name ?? null } });
    return json(toStudioApiKey(key));
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
