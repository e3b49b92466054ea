import type { Eip1193Provider } from "./eip1193.ts";

/** Where the Ethereum Name Service stands, on every chain that has it. */
const REGISTRY = "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e";
const NOBODY = "0x0000000000000000000000000000000000000000";

const REGISTRY_ABI = ["function resolver(bytes32 node) view returns (address)"] as const;
const RESOLVER_ABI = [
  "function addr(bytes32 node) view returns (address)",
  "function name(bytes32 node) view returns (string)",
  "function text(bytes32 node, string key) view returns (string)",
] as const;

/** What a name's owner has written down; null for what they have not. */
export interface EnsRecords {
  /** Lower-case hex. */
  address: string | null;
  avatar: string | null;
  email: string | null;
  url: string | null;
}

/** What a name stands for, asked of the chain. Null where nobody has registered it. Throws for what is no name. */
export async function ensRecords(name: string, provider: Eip1193Provider): Promise<EnsRecords | null> {
  const resolver = await resolverOf(name, provider);
  if (!resolver) return null;
  const [address, avatar, email, url] = await Promise.all([
    resolver.ask("addr"),
    resolver.ask("text", "avatar"),
    resolver.ask("text", "email"),
    resolver.ask("text", "url"),
  ]);
  const known = address && address !== NOBODY ? address.toLowerCase() : null;
  return { address: known, avatar: avatar || null, email: email || null, url: url || null };
}

/** The name that an address has given itself, asked of the chain; null where it has none that leads back to it. */
export async function ensName(address: string, provider: Eip1193Provider): Promise<string | null> {
  const reverse = await resolverOf(`${address.slice(2).toLowerCase()}.addr.reverse`, provider);
  const name = await reverse?.ask("name");
  if (!name) return null;
  // Anybody may claim any name for their address: only the name's owner can confirm it.
  const forward = await resolverOf(name, provider);
  const owner = await forward?.ask("addr");
  return owner?.toLowerCase() === address.toLowerCase() ? name : null;
}

/**
 * The address that a name stands for: as the data service says, or the wallet's chain where that knows nothing of it.
 * Null where nobody has the name. Only forward: what an address calls itself is no proof of whose it is.
 */
export async function addressOfName(name: string, provider: Eip1193Provider): Promise<string | null> {
  const { resolveName } = await import("../web3api/names.ts");
  const told = await resolveName(name).catch(() => null);
  return told ?? (await ensRecords(name, provider))?.address ?? null;
}

type Field = "addr" | "name" | "text";

async function resolverOf(name: string, provider: Eip1193Provider) {
  // One after the other: bundlers leave out what is not named only where the import itself is awaited.
  const { decodeFunctionResult, encodeFunctionData, isHex, parseAbi } = await import("viem/utils");
  const { namehash, normalize } = await import("viem/ens");
  const node = namehash(normalize(name));
  const call = async (to: string, data: string) => {
    const answer = await provider.request({ method: "eth_call", params: [{ to, data }, "latest"] });
    return isHex(answer) && answer !== "0x" ? answer : undefined;
  };
  const registry = parseAbi(REGISTRY_ABI);
  const found = await call(
    REGISTRY,
    encodeFunctionData({ abi: registry, functionName: "resolver", args: [node] }),
  );
  const at = found && decodeFunctionResult({ abi: registry, functionName: "resolver", data: found });
  if (!at || at === NOBODY) return null;
  const abi = parseAbi(RESOLVER_ABI);
  const ask = async (field: Field, key = ""): Promise<string | null> => {
    const data =
      field === "text"
        ? encodeFunctionData({ abi, functionName: field, args: [node, key] })
        : encodeFunctionData({ abi, functionName: field, args: [node] });
    // Resolvers need not have every field: what they do not have, they revert.
    const answer = await call(at, data).catch(() => undefined);
    return answer ? decodeFunctionResult({ abi, functionName: field, data: answer }) : null;
  };
  return { ask };
}
