import type { ChainService } from "@purse/chain";
import { ErrorCode, type JsonObject, ProtocolError, type StudioApiKey } from "@purse/protocol";
import type { ApiKey, ApiKeys } from "../../apiKeys/apiKeys.ts";
import type { RateLimiter } from "../../limits/rateLimiter.ts";
import type { KeyUsage } from "../keyUsage.ts";
import { invalid, objectIn, optionalTextIn, textIn, wholeIn } from "../parameters.ts";
import { json, type StudioRequest, type StudioRoute } from "../route.ts";
import { newest, type PipelineParts } from "./pipeline.ts";

export interface ChainParts extends PipelineParts {
  chain: Pick<ChainService, "status" | "watch" | "knownWallets">;
  apiKeys: ApiKeys;
  keyUsage: KeyUsage;
  limiter: RateLimiter;
}

const MINUTE_MS = 60_000;
const MOST_ADDRESSES = 500;

/** Chains and how far they are indexed, what is watched on them, the keys of the data service. */
export function chainRoutes(parts: ChainParts): StudioRoute[] {
  const { chain, apiKeys, limiter, objects } = parts;
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
      handle: async () => json({ results: await parts.keyUsage.hours() }),
    },
    { method: "POST", path: "/keys", needs: "owner", handle: addKey },
    { method: "DELETE", path: "/keys/:id", needs: "owner", handle: revokeKey },
  ];

  /** Of an index of known wallets: those that are still being read first. */
  async function addresses(request: StudioRequest) {
    return json(await chain.knownWallets(chainIn(request), MOST_ADDRESSES));
  }

  async function addAddress(request: StudioRequest) {
    const chainId = chainIn(request);
    const address = textIn(request.params, "address", 100);
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw invalid("address must be one");
    request.note({ target: `${chainId} ${address}` });
    chain.watch(chainId, [address.toLowerCase()]);
    return json({ address: address.toLowerCase() }, 201);
  }

  /** Throws 142 for a chain that is not followed, or whose index holds everything. */
  function chainIn({ names }: StudioRequest): number {
    const known = chain.status().find((each) => String(each.chain) === names.chainId);
    if (known?.scope === "wallets") return known.chain;
    throw new ProtocolError(
      ErrorCode.VALIDATION_ERROR,
      known ? "The index of this chain holds all addresses." : "This chain is not followed.",
    );
  }

  async function watches(request: StudioRequest) {
    return json(await newest(parts, request, "_ChainWatch", {}));
  }

  async function addWatch(request: StudioRequest) {
    const fields = objectIn(request.params, "fields");
    request.note({ after: fields });
    const { body } = await objects.create(request.context, "_ChainWatch", fields);
    return json(body, 201);
  }

  async function changeWatch(request: StudioRequest) {
    const fields = objectIn(request.params, "fields");
    request.note({ before: await watchOf(request), after: fields });
    const { body } = await objects.update(
      request.context,
      "_ChainWatch",
      request.names.objectId ?? "",
      fields,
    );
    return json(body);
  }

  async function removeWatch(request: StudioRequest) {
    request.note({ before: await watchOf(request) });
    await objects.remove(request.context, "_ChainWatch", request.names.objectId ?? "");
    return {};
  }

  async function watchOf({ context, names }: StudioRequest): Promise<JsonObject> {
    return JSON.parse(await objects.get(context, "_ChainWatch", names.objectId ?? "", {}));
  }

  /** Keys with what they have used in this minute, in this process. */
  async function keys() {
    const all = await apiKeys.list();
    const results = await Promise.all(
      all.map(async (key) => ({
        ...shown(key),
        usedThisMinute: (await limiter.usage(`key:${key.id}`, MINUTE_MS)).used,
      })),
    );
    return json({ results });
  }

  /** The key itself is told here and nowhere else. */
  async function addKey(request: StudioRequest) {
    const name = optionalTextIn(request.params, "name", 100);
    const limit = wholeIn(request.params, "limit", 0, 1_000_000_000);
    const { key, id } = await refusing(() =>
      apiKeys.create({ name, limit: limit === 0 ? undefined : limit }),
    );
    request.note({ target: id, after: { name: name ?? null, limit } });
    return json({ id, key }, 201);
  }

  async function revokeKey(request: StudioRequest) {
    const key = await refusing(() => apiKeys.revoke(request.names.id ?? ""));
    request.note({ before: { name: key.name ?? null } });
    return json(shown(key));
  }
}

function shown({ id, name, limit, createdAt, lastUsedAt, revokedAt }: ApiKey): StudioApiKey {
  return {
    id,
    ...(name !== undefined && { name }),
    ...(limit !== undefined && { limit }),
    createdAt: createdAt.toISOString(),
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
    ...(revokedAt && { revokedAt: revokedAt.toISOString() }),
  };
}

/** What keys refuse by an Error of their own words is an answer here. */
async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && error.constructor === Error) {
      throw new ProtocolError(ErrorCode.VALIDATION_ERROR, error.message);
    }
    throw error;
  }
}
