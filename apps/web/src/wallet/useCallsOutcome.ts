import { waitForCalls } from "@purse/client";
import { useMoralis } from "@purse/react";
import { useQuery } from "@tanstack/react-query";
import { queryClient } from "../query/useServerQuery.ts";
import { type CallsOutcome, callsOutcome } from "./callsOutcome.ts";

/**
 * Waits until calls that were sent together are no longer pending. All components that wait for the same calls share one
 * poll of the wallet; without a connected wallet, nobody waits.
 */
export function useCallsOutcome(id: string) {
  const { account, isWeb3Enabled } = useMoralis();
  return useQuery<CallsOutcome>(
    {
      queryKey: ["calls", account, id],
      queryFn: async ({ signal }) => callsOutcome(await waitForCalls(id, { signal })),
      enabled: isWeb3Enabled,
      refetchInterval: false,
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    },
    queryClient,
  );
}
