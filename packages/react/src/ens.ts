import { type EnsRecords, ensName, ensRecords, lookupAddress, resolveName } from "@purse/client";
import { useAsyncCall } from "./useAsyncCall.ts";
import { useMoralis } from "./useMoralis.ts";

/** Chains that have ENS. */
const ENS_CHAINS = new Set(["0x1", "0xaa36a7", "0x4268"]);
const NO_RECORDS: EnsRecords = { address: null, avatar: null, email: null, url: null };

/** The wallet's provider, if it is on a chain that has ENS. */
function useEnsProvider() {
  const { provider, chainId } = useMoralis();
  return chainId && ENS_CHAINS.has(chainId) ? provider : null;
}

/** The name of an address: from the chain if the wallet is on one with ENS, else from the data API. */
export function useEnsAddress(address: string | null | undefined) {
  const onChain = useEnsProvider();
  const call = useAsyncCall<string | null, { address: string }>(
    ({ address }, signal) => (onChain ? ensName(address, onChain) : lookupAddress(address, signal)),
    { address: address ?? "" },
    null,
    { autoFetch: Boolean(address) },
    onChain,
  );
  const { data: name, isLoading, error } = call;
  return { name, isLoading, error };
}

/** The records of a name. `avatar`, `email` and `url` are known only if the wallet is on a chain with ENS. */
export function useEnsName(name: string | null | undefined) {
  const onChain = useEnsProvider();
  const call = useAsyncCall<EnsRecords | null, { name: string }>(
    async ({ name }, signal) => {
      if (onChain) return ensRecords(name, onChain);
      return { ...NO_RECORDS, address: await resolveName(name, signal) };
    },
    { name: name ?? "" },
    null,
    { autoFetch: Boolean(name) },
    onChain,
  );
  const { data, isLoading, error } = call;
  return { ...(data ?? NO_RECORDS), isLoading, error };
}
