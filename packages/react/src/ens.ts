import { type EnsRecords, ErrorCode, ensName, ensRecords, type Moralis, ParseError } from "@purse/client";
import { useAsyncCall } from "./useAsyncCall.ts";
import { useMoralis } from "./useMoralis.ts";

/** Chains that have the name service. */
const WITH_ENS = new Set(["0x1", "0xaa36a7", "0x4268"]);
const NOTHING: EnsRecords = { address: null, avatar: null, email: null, url: null };

/** The wallet, where it is on a chain that has the name service. */
function useEnsProvider() {
  const { Moralis, provider, chainId } = useMoralis();
  return { Moralis, onChain: chainId && WITH_ENS.has(chainId) ? provider : null };
}

/** The name of an address: from the chain where the wallet is on one with names, else from the data service. */
export function useEnsAddress(address: string | null | undefined) {
  const { Moralis, onChain } = useEnsProvider();
  const call = useAsyncCall<string | null, { address: string }>(
    ({ address }, signal) =>
      onChain ? ensName(address, onChain) : nameFromService(Moralis, address, signal),
    { address: address ?? "" },
    null,
    { autoFetch: Boolean(address) },
    onChain,
  );
  const { data: name, isLoading, error } = call;
  return { name, isLoading, error };
}

/** What a name stands for. `avatar`, `email` and `url` are known only where the wallet is on a chain with names. */
export function useEnsName(name: string | null | undefined) {
  const { Moralis, onChain } = useEnsProvider();
  const call = useAsyncCall<EnsRecords | null, { name: string }>(
    async ({ name }, signal) => {
      if (onChain) return ensRecords(name, onChain);
      return { ...NOTHING, address: await addressFromService(Moralis, name, signal) };
    },
    { name: name ?? "" },
    null,
    { autoFetch: Boolean(name) },
    onChain,
  );
  const { data, isLoading, error } = call;
  return { ...(data ?? NOTHING), isLoading, error };
}

async function nameFromService(
  { Web3API }: typeof Moralis,
  address: string,
  options: { signal?: AbortSignal },
): Promise<string | null> {
  return orNull(async () => (await Web3API.resolve.resolveAddress({ address }, options)).name);
}

async function addressFromService(
  { Web3API }: typeof Moralis,
  domain: string,
  options: { signal?: AbortSignal },
): Promise<string | null> {
  return orNull(async () => (await Web3API.resolve.resolveDomain({ domain }, options)).address);
}

/** A name or an address that is not there is no error. */
async function orNull(ask: () => Promise<string | null | undefined>): Promise<string | null> {
  try {
    return (await ask()) || null;
  } catch (error) {
    if (error instanceof ParseError && error.code === ErrorCode.OBJECT_NOT_FOUND) return null;
    throw error;
  }
}
