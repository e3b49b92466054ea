import { walletCapabilities } from "@purse/client";
import { useMoralis } from "@purse/react";
import { useState } from "react";
import { useServerQuery } from "../../query/useServerQuery.ts";
import type { AppChain } from "../../settings.ts";

/**
 * Whether the wallet executes several calls completely or not at all on a chain. `refuse` remembers that the user, or the
 * wallet, wants them one by one.
 */
export function useCanBatch(account: string, chain: AppChain): { canBatch: boolean; refuse: () => void } {
  const { chainId } = useMoralis();
  const [isRefused, setRefused] = useState(false);
  const { data } = useServerQuery({
    // Other chains have other capabilities.
    queryKey: chainId === chain.hexId ? ["wallet capabilities", account, chain.hexId] : undefined,
    queryFn: ({ signal }) => walletCapabilities({ account, chainId: chain.hexId, signal }),
    isUncached: true,
  });
  const canBatch = !isRefused && data !== undefined && data.atomic !== "unsupported";
  return { canBatch, refuse: () => setRefused(true) };
}
