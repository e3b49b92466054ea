import { type ChainService, chainPresetOf } from "@purse/chain";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { chainEndpoints as endpoints } from "../../studioApi/chains.ts";
import { type Requests, route, type StudioRoute } from "../route.ts";
import { listNewest } from "./newestRows.ts";
import type { RouteDependencies } from "./routeContext.ts";

type ChainRequests = Requests<typeof endpoints>;

export interface ChainDependencies extends RouteDependencies {
  chain: Pick<ChainService, "status" | "watch" | "watchedWallets">;
}

const MAX_ADDRESSES = 500;

/** Routes for chains and their index status, and watches. */
export function chainRoutes(dependencies: ChainDependencies): StudioRoute[] {
  const { chain, objects } = dependencies;
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
}
