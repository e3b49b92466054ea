import type { StudioOperator, StudioRole } from "@purse/protocol";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { createContext, useContext, useSyncExternalStore } from "react";
import { type Access, type Query, StudioApi } from "./api.ts";

export const StudioContext = createContext(new StudioApi());

export function useStudio(): StudioApi {
  return useContext(StudioContext);
}

/** Who works here; undefined until the server has told. */
export function useAccess(): Access | undefined {
  const studio = useStudio();
  return useSyncExternalStore(studio.subscribe, () => studio.access);
}

/** The operator who is signed in. For rooms, which are shown to nobody else. */
export function useOperator(): StudioOperator {
  const access = useAccess();
  if (access?.state.state !== "signedIn") throw new Error("Nobody is signed in.");
  return access.state.operator;
}

const RANK = { readOnly: 0, editor: 1, owner: 2 } as const;

/** Whether the operator has a role, or a higher one. The server judges again. */
export function useMay(needs: StudioRole): boolean {
  return RANK[useOperator().role] >= RANK[needs];
}

/** What a GET route answers. After a change: `queryClient.invalidateQueries({ queryKey: [path] })`. */
export function useRead<T>(
  path: string,
  query: Query = {},
  options: { enabled?: boolean } = {},
): UseQueryResult<T> {
  const studio = useStudio();
  return useQuery({
    queryKey: [path, query],
    queryFn: ({ signal }) => studio.get<T>(path, query, signal),
    ...options,
  });
}
