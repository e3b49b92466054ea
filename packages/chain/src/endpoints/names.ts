import { invalid, notFound } from "../model/requestErrors.ts";
import { Ens, normalForm } from "../names/ens.ts";
import type { CallGateway } from "../names/gateways.ts";
import { isUnstoppable, unstoppableAddress } from "../names/unstoppable.ts";
import { type ChainContext, withNodeErrors } from "./chainContext.ts";
import { type Handlers, unavailable } from "./routes.ts";

/** ENS registries and Unstoppable Domains readers of known chains. */
const ENS_REGISTRIES: ReadonlyMap<number, string> = new Map([
  [1, "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e"],
  [11_155_111, "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e"],
]);
const UNSTOPPABLE_READERS: ReadonlyMap<number, string> = new Map([
  [137, "0x91edd8708062bd4233f4dd0fce15a7cb4d500091"],
  [1, "0x578853aa776eef10cee6c4dd2b5862bdce767a8b"],
]);

/** Name resolution with ENS and Unstoppable Domains. Unavailable if no chain has a registry. */
export function nameHandlers(
  chains: readonly ChainContext[],
  callGateway: CallGateway | undefined,
): Pick<Handlers, "resolveDomain" | "resolveENSDomain" | "resolveAddress"> {
  // Of several chains, Ethereum takes precedence.
  const ens = chains
    .flatMap((chain) => {
      const registry = chain.config.names?.ens ?? ENS_REGISTRIES.get(chain.config.id);
      return registry === undefined ? [] : [{ chain, names: new Ens(chain.node, registry, callGateway) }];
    })
    .sort((a, b) => Number(b.chain.config.id === 1) - Number(a.chain.config.id === 1))[0];
  const readers = chains.flatMap((chain) => {
    const reader = chain.config.names?.unstoppable ?? UNSTOPPABLE_READERS.get(chain.config.id);
    return reader === undefined ? [] : [{ chain, reader }];
  });
  if (!ens && readers.length === 0)
    return {
      resolveDomain: unavailable("resolveDomain"),
      resolveENSDomain: unavailable("resolveENSDomain"),
      resolveAddress: unavailable("resolveAddress"),
    };

  return {
    resolveDomain: async ({ domain }) => {
      const name = normalForm(domain);
      if (name === undefined) {
        throw invalid("domain is not a valid name: it contains invalid or confusable characters");
      }
      const address = isUnstoppable(name) ? await resolveUnstoppable(name) : await resolveEns(name);
      if (address === undefined) throw notFound(`${name} does not resolve to an address`);
      return { address };
    },
    resolveENSDomain: async ({ domain }) => {
      const name = normalForm(domain);
      if (name === undefined || isUnstoppable(name)) throw invalid("domain is not a valid ENS name");
      const address = await resolveEns(name);
      if (address === undefined) throw notFound(`${name} does not resolve to an address`);
      return { address };
    },
    resolveAddress: async ({ address }) => {
      const name = ens && (await withNodeErrors(ens.chain, undefined, () => ens.names.nameOf(address)));
      if (name === undefined) throw notFound(`${address} has no primary name`);
      return { name };
    },
  };

  async function resolveEns(name: string): Promise<string | undefined> {
    return ens && withNodeErrors(ens.chain, undefined, () => ens.names.addressOf(name));
  }

  /** A name is registered on one of the chains. */
  async function resolveUnstoppable(name: string): Promise<string | undefined> {
    const found = await Promise.all(
      readers.map(({ chain, reader }) =>
        withNodeErrors(chain, undefined, () => unstoppableAddress(chain.node, reader, name)),
      ),
    );
    return found.find((address) => address !== undefined);
  }
}
