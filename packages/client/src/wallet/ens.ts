import { primaryEnsName } from "@purse/protocol";
import type { Eip1193Provider } from "./eip1193.ts";

/** The address of the ENS registry, on every chain that has it. */
const REGISTRY = "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e";
const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000";

const REGISTRY_ABI = ["function resolver(bytes32 node) view returns (address)"] as const;
const RESOLVER_ABI = [
  "function addr(bytes32 node) view returns (address)",
  "function name(bytes32 node) view returns (string)",
  "function text(bytes32 node, string key) view returns (string)",
] as const;

/** The records of an ENS name; null for missing ones. */
export interface EnsRecords {
  /** Lowercase hex. */
  address: string | null;
  avatar: string | null;
  email: string | null;
  url: string | null;
}

/** Resolves a name on the chain. Null if it is not registered. Throws for invalid names. */
export async function ensRecords(name: string, provider: Eip1193Provider): Promise<EnsRecords | null> {
  const resolver = await resolverOf(name, provider);
  if (!resolver) return null;
  const [address, avatar, email, url] = await Promise.all([
    resolver.ask("addr"),
    resolver.ask("text", "avatar"),
    resolver.ask("text", "email"),
    resolver.ask("text", "url"),
  ]);
  const known = address && address !== ZERO_ADDRESS ? address.toLowerCase() : null;
  return { address: known, avatar: avatar || null, email: email || null, url: url || null };
}

/** The primary name of an address on the chain; null without a valid one that resolves back to the address. */
export async function ensName(address: string, provider: Eip1193Provider): Promise<string | null> {
  const reverse = await resolverOf(`${address.slice(2).toLowerCase()}.addr.reverse`, provider);
  const recorded = await reverse?.ask("name");
  if (!recorded) return null;
  const { normalize } = await import("viem/ens");
  const addressOf = async (name: string) => (await resolverOf(name, provider))?.ask("addr");
  return (await primaryEnsName(address, recorded, normalize, addressOf)) ?? null;
}

/**
 * Resolves a name to an address: through the data API, or by the wallet's chain if the data API does not know it.
 * Null if the name is not registered. Uses forward resolution only: primary names prove nothing.
 */
export async function addressOfName(name: string, provider: Eip1193Provider): Promise<string | null> {
  const { resolveName } = await import("../web3api/resolveNames.ts");
  const resolved = await resolveName(name).catch(() => null);
  return resolved ?? (await ensRecords(name, provider))?.address ?? null;
}

type Field = "addr" | "name" | "text";

async function resolverOf(name: string, provider: Eip1193Provider) {
  // One after the other: bundlers only tree-shake imports that are awaited directly.
  const { decodeFunctionResult, encodeFunctionData, isHex, parseAbi } = await import("viem/utils");
  const { namehash, normalize } = await import("viem/ens");
  const node = namehash(normalize(name));
  const call = async (to: string, data: string) => {
    const result = await provider.request({ method: "eth_call", params: [{ to, data }, "latest"] });
    return isHex(result) && result !== "0x" ? result : undefined;
  };
  const registry = parseAbi(REGISTRY_ABI);
  const registryResult = await call(
    REGISTRY,
    encodeFunctionData({ abi: registry, functionName: "resolver", args: [node] }),
  );
  const resolverAddress =
    registryResult && decodeFunctionResult({ abi: registry, functionName: "resolver", data: registryResult });
  if (!resolverAddress || resolverAddress === ZERO_ADDRESS) return null;
  const abi = parseAbi(RESOLVER_ABI);
  const readField = async (field: Field, key = ""): Promise<string | null> => {
    const data =
      field === "text"
        ? encodeFunctionData({ abi, functionName: field, args: [node, key] })
        : encodeFunctionData({ abi, functionName: field, args: [node] });
    // Resolvers revert for fields that they do not support.
    const result = await call(resolverAddress, data).catch(() => undefined);
    return result ? decodeFunctionResult({ abi, functionName: field, data: result }) : null;
  };
  return { ask: readField };
}
