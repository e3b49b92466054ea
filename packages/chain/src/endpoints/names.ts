import { ErrorCode, ProtocolError } from "@purse/protocol";
import { Ens, normalForm } from "../names/ens.ts";
import type { AskGateway } from "../names/offchainLookup.ts";
import { isUnstoppable, unstoppableAddress } from "../names/unstoppable.ts";
import { asked, type FollowedChain, notFound } from "./chainContext.ts";
import { type EndpointRoute, routeOf } from "./routes.ts";

/** Where the names of well-known chains are. */
const REGISTRIES: ReadonlyMap<number, string> = new Map([
  [1, "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e"],
  [11_155_111, "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e"],
]);
const READERS: ReadonlyMap<number, string> = new Map([
  [137, "0x91edd8708062bd4233f4dd0fce15a7cb4d500091"],
  [1, "0x578853aa776eef10cee6c4dd2b5862bdce767a8b"],
]);

/** Names of ENS and of Unstoppable Domains, asked of their contracts. Without a chain that has them they are absent. */
export function nameRoutes(
  chains: readonly FollowedChain[],
  askGateway: AskGateway | undefined,
): EndpointRoute[] {
  // Where several chains have names, those of Ethereum are meant, and test networks last.
  const ens = chains
    .flatMap((chain) => {
      const registry = chain.config.names?.ens ?? REGISTRIES.get(chain.config.id);
      return registry === undefined ? [] : [{ chain, names: new Ens(chain.node, registry, askGateway) }];
    })
    .sort((a, b) => Number(b.chain.config.id === 1) - Number(a.chain.config.id === 1))[0];
  const readers = chains.flatMap((chain) => {
    const reader = chain.config.names?.unstoppable ?? READERS.get(chain.config.id);
    return reader === undefined ? [] : [{ chain, reader }];
  });
  if (!ens && readers.length === 0) return [];

  return [
    routeOf("resolveDomain", async ({ domain }) => {
      const name = normalForm(domain);
      if (name === undefined) {
        throw new ProtocolError(
          ErrorCode.VALIDATION_ERROR,
          "domain can be no name: it has characters that names have not, or mixes those that look alike",
          400,
        );
      }
      const address = isUnstoppable(name) ? await ofReaders(name) : await ofEns(name);
      if (address === undefined) throw notFound(`${name} stands for no address`);
      return { address };
    }),
    routeOf("resolveAddress", async ({ address }) => {
      const name = ens && (await asked(ens.chain, undefined, () => ens.names.nameOf(address)));
      if (name === undefined) throw notFound(`${address} has no name that stands for it`);
      return { name };
    }),
  ];

  async function ofEns(name: string): Promise<string | undefined> {
    return ens && asked(ens.chain, undefined, () => ens.names.addressOf(name));
  }

  /** A name is on one chain or the other. */
  async function ofReaders(name: string): Promise<string | undefined> {
    const found = await Promise.all(
      readers.map(({ chain, reader }) =>
        asked(chain, undefined, () => unstoppableAddress(chain.node, reader, name)),
      ),
    );
    return found.find((address) => address !== undefined);
  }
}
